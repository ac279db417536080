"""The words by which an answer takes a value back, prefers it, or merely mentions it.

English first, with the everyday forms of the languages that models most often slip into. All patterns are for
folded text and are only ever applied to a short stretch of it.
"""

from __future__ import annotations

import re

#: Full stops, but not those of abbreviations.
_STOP = r"(?<!i\.e)(?<!e\.g)(?<!\bvs)(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)(?<!\bca)[.!?]+"
#: Where a clause ends: what stands before does not govern what stands after.
CLAUSE_BREAK = re.compile(
    rf"{_STOP}(?=\s|$|[\"')])|[;\n()\[\]]|[:,](?=\s|[^\d\s])|\s-+\s|—|->|\u2026"
    r"|\b(?:but|however|yet|and|sondern|aber|mais|pero|sino|mas|bensì|maar|lecz|ale)\b"
    r"|(?<!\w)(?:но|а)(?!\w)|而是|但是?|بل"
)
#: Where a sentence ends.
SENTENCE_BREAK = re.compile(rf"{_STOP}(?=\s|$|[\"')])|;|\n")

#: Negations that affirm; they are taken out before negators are looked for.
AFFIRMED = re.compile(
    r"\b(?:no|without|without a|beyond|not a) doubt\b|\bdoubtless\b|\bno question\b|\bnot (?:only|just|merely)\b"
    r"|\bno (?:problem|later|longer than)\b|\bwhy not\b|\bno\.(?=\s?\d)"
)
#: A clause begins that no negation before it governs.
NEW_CLAUSE = re.compile(r"\b(?:while|whereas|although|though|except (?:that|to say))\b")
#: What stands behind is taken out of what was said before: denied, or affirmed where that was a denial.
EXCEPTION = re.compile(r"\b(?:except(?: for)?|excluding|besides|apart from|(?:other|else)(?: [^\W\d]+)? than)\b")
#: A negator before a value, in its clause, denies it.
DENIED_BEFORE = re.compile(
    r"\b(?:not|never|no|nor|neither|none|cannot|can't|cant|isnt|wasnt|without"
    r"|rather than|instead of|as opposed to|unlikely|hardly|doubt|fail(?:s|ed)? to"
    r"|(?:ruled?|ruling) out|reject(?:s|ed|ing)?|dismiss(?:ed)?|den(?:y|ies|ied)|exclud(?:e|es|ed)"
    r"|wrong|wrongly|incorrect|incorrectly|false|falsely|fake|decoy|misleading|bogus|impossible"
    r"|nicht|kein(?:e[nmrs]?)?|weder|niemals|pas|ni|jamais|aucune?|n[ãa]o|non(?!-)|niet|geen|nie|ikke|inte)\b"
    r"|\w+n't\b|(?<!\w)(?:не|ни|ليس|ليست|لا)(?!\w)|^\W*[❌✗✘✖]|不是|并非|並非|不为|不為|没有|沒有|绝非"
)
#: Denies although the word "but" ends the clause.
ANYTHING_BUT = re.compile(r"\b(?:anything|everything|all) (?:but|except)\W*$")

_NOUN = r"(?:(?:code|value|number|key|one|answer) )?"
_PRONOUN = r"(?:(?:but |and |wait,? |no,? |actually,? )?(?:which|that|this|it)(?: one)?(?=[ ']))?"
_VERB = (
    r"(?:is|was|are|were|would be|could be|can be|can|could|does|do|did|has|have|had|will|should|must be|must"
    r"|(?:seems|looks|appears)(?: to be| like)?|'s|ain)"
)
_DEGREE = (
    r"(?: (?:definitely|certainly|clearly|also|in fact|actually|probably|obviously|simply|both|all|plainly|surely))*"
)
_WRONG = (
    r"(?:wrong|incorrect|false|invalid|outdated|superseded|obsolete|mistaken|out of the question|ruled out|excluded"
    r"|an? (?:decoy|distractor|trap|mistake|lie|typo|red herring|wrong|incorrect|old|other|outdated|older|different"
    r"|earlier)|the (?:wrong|incorrect|old|other|decoy|outdated))\b"
)
#: What a question about a value is answered with where it is not the one.
_DOUBTED = (
    r"(?:(?:no|nope|nein|non|wrong|incorrect|not|(?:probably|definitely|certainly|surely|apparently) not)"
    r"|i (?:really )?(?:don't|do not|wouldn't|would not) (?:think|believe|say) so"
    r"|i (?:highly |very much )?doubt (?:it|that))"
)
#: What a text does or does not do, a value never.
_TELL = r"(?:state|say|specify|mention|tell|indicate|clarify|explain|elaborate)\b"
#: A request behind a value ("don't lose it!") says nothing of it.
_NO_REQUEST = r"(?!\W{0,3}[—,;:.!(-]\W{0,2}(?:please )?do(?:n't| not)\b)"
#: Words right behind a value that deny it.
DENIED_AFTER = re.compile(
    rf"{_NO_REQUEST}\W{{0,3}}{_NOUN}{_PRONOUN} ?{_VERB}"
    rf"(?:n't|nt\b|not\b|{_DEGREE} (?:not|never|no longer)\b)(?! only| just| in doubt| {_TELL})"
    rf"|\W{{0,3}}{_NOUN}{_PRONOUN} ?{_VERB}{_DEGREE} {_WRONG}"
    rf"|[^\w\n]{{0,4}}(?:(?:wrong|incorrect|false)\b|[❌✗✘✖])|[^.!?\n]{{0,20}}\?\W{{0,3}}{_DOUBTED}\b"
    r"|\W{0,3}は?(?:ではな|ではありませ|じゃな|でな)|\W{0,3}は(?:間違|誤)|\W{0,3}(?:이|가|은|는)?\s*(?:아니|아닙|틀)"
    r"|\W{0,3}(?:नहीं|değil|(?:ist |est )?(?:nicht|falsch)\b|n'est pas|no es\b|não é\b|non è\b|не\b|неверно"
    r"|不是|并不|是错|是錯|不对|不對)"
)
#: The plural forms deny every value they are said of.
DENIED_ALL_AFTER = re.compile(r"\W{0,3}(?:are|were|aren't|weren't|sind|sont|son)\b")

_ELSEWHERE = (
    r"(?:an?other|other|later|earlier|previous|second|different|separate|one) (?:passage|section|paragraph|part|place"
    r"|sentence|source|line|entry|document|text|note|mention)s?"
)
#: Words before a value, in its clause, that set it apart from what is asserted.
WEAK_BEFORE = re.compile(
    r"\b(?:although|though|even though|whereas|while|despite|unlike|compared (?:to|with)|in contrast to|contrary to"
    r"|at first|first (?:saw|thought|found|read|noticed|considered|looked)|initially|originally|previously|formerly"
    rf"|i (?:had )?(?:thought|considered|assumed)|was tempted|used to be|{_ELSEWHERE}"
    r"|(?:updated|revised|corrected|changed|amended) from"
    r"|near-identical|similar(?:ly)?|decoys?|distractors?|obwohl|während|bien que|aunque|хотя)\b"
)
#: Words right before a value that make it, or the list that it opens, another one than the one asked for.
OTHERS_BEFORE = re.compile(
    r"(?<!unlike )(?<!from )\b(?:another|(?:the|all|any|two|three|four) other) [^\W\d]+"
    r"(?:(?: [^\W\d]+){0,4}\s?[,:(]| (?:is|was|are|were))\W{0,2}$"
)
#: "One passage says X, another says Y" prefers neither.
ONE_ANOTHER = re.compile(r"\bone [^\W\d]+\b.*\b(?:another|the other)\b", re.DOTALL)
#: What is set against something said before, not conceded.
CONTRAST = re.compile(r"\w\W{1,3}(?:while|whereas) ((?:(?!\b(?:while|whereas|first|initially|formerly)\b)[^,;:])*)$")
#: Words right before a list of all that there is, of which the answer says more later.
ALL_BEFORE = re.compile(
    r"\b(?:there (?:are|were)|(?:text|document|passage|context|it) (?:lists|mentions|contains|gives|has)"
    r"|i (?:see|saw|find|found)) (?:[^\W\d]+ ){1,3}(?:codes|values|keys|numbers|candidates|names|passwords|ids)"
    r"(?: [^\W\d]+){0,4}:\W{0,3}$"
)
#: A concession that keeps both values open is none.
HEDGED = re.compile(r"\b(?:could|might|may|possibly|perhaps|maybe)\b")
#: The same behind the value.
WEAK_AFTER = re.compile(
    r",? (?:but (?:later|then)|(?:but|and) (?:it )?(?:is |has )?now)\b|"
    r"\W{0,3}(?:is |was |appears |as )?(?:(?:the|an?) (?:[^\W\d]+ ){1,3})?(?:according to|as per|in|from|for|of"
    r"|belongs to|given in|said in|stated in|mentioned in|found in)"
    r" (?:an?other|the other|other|a later|an earlier|(?:a|the) (?:different|neighbou?ring)|the earlier|a previous)\b"
    r"|(?: too| also| as well)?,? but (?:these|those|they|both|it|that|this|which)(?: [^\W\d]+){1,3}"
    r" (?:an?other|the others?|others?|(?:a |the )?(?:different|neighbou?ring))\b"
)
#: The plural forms set every value apart that they are said of.
WEAK_ALL_AFTER = re.compile(r"\W{0,3}(?:are|were|(?:(?:too|also|as well),? )?but (?:these|those|they|both))\b")
#: Words between two values by which the second replaces the first.
CORRECTION = re.compile(
    r"\b(?:wait|sorry|correction|scratch that|i meant|i mean|on second thought|oops|my mistake|my bad|apologies"
    r"|let me (?:correct|re-?check|revise|fix)|to correct|make that|or rather|strike that|hold on|hmm|actually"
    r"|i (?:made|was) (?:an? )?(?:error|mistake|mistaken|wrong)|corrected|moment mal|pardon|perdón)\b"
    r"|\b(?:revised|corrected|changed|updated|amended|superseded|replaced) (?:to|by|with)\b"
    r"|\b(?:no|nein|non|nope)\b(?=\s*[,.:;!—-])(?!\.\s?\d)|不对|等等|нет,"
)

_FINAL = re.compile(r"\bfinal (?:answer|result|value|count|total)\b|最终答案|\bendgültige antwort\b|\bréponse finale\b")
_ANSWER = re.compile(
    r"(?<!no )(?<!other )\banswer\b"
    r"|\b(?:i(?:'d|'ll| would| will)? (?:choose|conclude|pick|go with)|my choice|in conclusion)\b"
    r"|\bthe (?:correct|right|actual|true|real|current) \w+(?: \w+){0,2} (?:is|was|must be|should be)\b"
    r"|\b(?:antwort|réponse|respuesta|resposta|risposta|antwoord|ответ|odpowiedź|cevap|svar)\b"
    r"|答案|答え|回答|정답|الإجابة|उत्तर"
)
_SO = re.compile(r"(?:^|[.!?\n;:,]\s*)(?:so|overall|also ist|donc|por lo tanto)\b|\b(?:therefore|thus|hence)\b")
#: Labels before a value that make it the answer, with their rank.
LABELS = ((3, _FINAL), (2, _ANSWER), (1, _SO))
#: Numbers only: what stands right before a number that was computed or counted.
TOTALS = re.compile(
    r"\b(?:total|sum|result|count|average|mean|max(?:imum)?|min(?:imum)?|product|difference)\b"
    r"(?:[^;.!?\n]|\.(?=\d)){0,80}(?:\b(?:is|are|was|equals?)\b|[=:])\W{0,3}(?:about |exactly |approximately )?$"
    r"|(?:\btotal(?: of|s|ling|ing)?|\b(?:equals?|makes|gives|altogether|in all"
    r"|(?:sum|add|come|amount)(?:s|ing)?(?: up)? to)|=)\W{0,3}$"
)
#: Words behind a value that make it the answer.
ANSWER_AFTER = re.compile(
    r"\W{0,3}(?:is|was|must be|should be)\s+(?:indeed |in fact |clearly )?(?:the |my )?"
    r"(?:final |correct |right |actual |true )?(?:answer|correct|right|the one)\b(?! to)"
)

#: What may stand between the items of one list.
CONNECTOR = re.compile(
    r"(?:[\s,;/|&+\"'()\[\]{}<>•·:—-]"
    r"|(?<!\w)(?:or|and|nor|either|both|oder|und|sowie|et|ou|y|u|o|e|или|и|to|then|possibly|maybe|perhaps|also"
    r"|as well as|plus|even|vs\.?|versus)(?!\w)"
    r"|和|或者?|与|以及|と|や|または|および|와|과|또는|و|أو|या|और|(?<!\w)\d{1,2}[.)])*"
)
#: Numbers only: a unit or noun between two of them and an "or" hedges all the same.
HEDGE = re.compile(r"\W{0,3}(?:[^\W\d]+\W{1,3}){0,2}(?:or|to|oder|ou|или)\s*(?:maybe|perhaps|possibly|even)?\W{0,3}")
