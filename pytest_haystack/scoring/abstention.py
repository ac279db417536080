"""Telling that an answer says the text lacks what was asked for."""

from __future__ import annotations

import re

_SEEK = (
    r"(?:find|found|locate|see|spot|identify|determine|tell|know|answer|contain|mention|state|say|specify|provide|include|give|list"
    r"|indicate|appear|reveal|disclose|name|exist|cover|have|hold|address|refer|record)"
)
_NOTED = (
    r"(?:mentioned|stated|specified|found|given|provided|available|present|included|listed|contained|known|indicated|disclosed"
    r"|recorded|named|covered|described|revealed|applicable|determinable|answerable|in the (?:text|document|passage|context)"
    r"|part of the (?:text|document)|enough (?:information|context|data))"
)
_ENGLISH = (
    rf"(?:\b(?:not|cannot|never|unable to|nowhere)|n't)(?: (?:to |be |been |explicitly |actually |directly |able to |even |seem to |ever ){{0,3}}){{0,1}}(?: ?\w+ly )?\s*\b{_SEEK}s?\b",
    rf"(?:\b(?:not|never|nowhere)|n't)(?: \w+ly| been| be| being)? {_NOTED}",
    r"\b(?:cannot|can't|could not|couldn't) be (?:found|determined|answered|identified|located|known|inferred)",
    r"\bno (?:\w+ ){0,4}(?:is|are|was|were) (?:\w+ )?(?:mentioned|stated|given|found|listed|provided|specified|present|available|recorded)",
    r"\b(?:there (?:is|are|was|were)|i (?:see|find|found|have)|contains?|has|have|with|gives?|provides?|offers?) no\b",
    r"\bnone (?:for|of (?:the|these|those|them|which|whom)|is|was|are|were|given|mentioned|listed|found)\b",
    r"\b(?:lacks?|lacking|omits?|absent from|missing from|silent on|without (?:any )?mention|no mention|no such|no information|no record"
    r"|no answer|no data|insufficient (?:information|context|data))\b",
    r"\b(?:unanswerable|unknown|undisclosed|unspecified|n/a|not applicable)\b",
)
_OTHERS = (
    r"\bnicht (?:\w+ )?(?:gefunden|erwähnt|enthalten|angegeben|genannt|finden|bekannt|im text)\b|\bkeine? (?:angabe|information|hinweis)\w*",
    r"\bn(?:e |')(?:\w+ )?(?:mentionn|contien|indiqu|précis|trouv|di|donn|figur)\w* pas\b",
    r"\b(?:pas|aucune?) (?:\w+ )?(?:mentionné|trouvé|indiqué|précisé|information|mention|trouver|donné)\w*",
    r"\bno (?:se )?(?:menciona|encuentra|indica|aparece|contiene|especifica|he encontrado|encontré|encuentro)\b",
    r"\bnão (?:\w+ )?(?:mencion|encontr|indic|cont[eé]m|const|inform)\w*|\bnon (?:è )?(?:menzionat|indicat|trov|contien|present|specificat)\w*",
    r"\bniet (?:\w+ )?(?:gevonden|vermeld|genoemd|vinden)\b|\bnie (?:\w+ )?(?:znal|poda|zawiera|wspomin)\w*",
    r"(?<!\w)не (?:\w+ )?(?:найд|найти|наш|указ|упомин|содерж|сказ)\w*|нет (?:информации|данных|ответа|упоминани)",
    r"未提及|未提到|没有提到|沒有提到|没有提及|没有说明|没有给出|没有找到|未找到|找不到|不包含|不包括|未包含|无法(?:找到|确定|回答|得知)|未知|未说明|没有相关",
    r"見つかりません|見つかりませんでした|記載(?:されてい|が|は)?(?:ません|ない|あり)|含まれてい(?:ません|ない)|書かれてい(?:ません|ない)|言及されてい(?:ません|ない)|わかりません|不明",
    r"찾을 수 없|언급되(?:지|어 있지) ?않|나와 있지 않|포함되어 있지 않|없습니다|알 수 없",
    r"(?<!\w)لم (?:أجد|يذكر|يرد|أعثر)|لا (?:يحتوي|يذكر|يوجد)|غير (?:مذكور|موجود|معروف)",
    r"उल्लेख नहीं|नहीं मिल|नहीं दिया|नहीं है|उपलब्ध नहीं|belirtilm|bulunam|bahsedilm",
)
_ABSTAINS = re.compile("|".join(_ENGLISH + _OTHERS))
_ALONE = re.compile(
    r"\W*(?:none|nothing|null|nil|nan|no answer|n\.?/?a\.?|unknown|not sure|no idea|i don't know|idk)\W*"
)
_TAKEN_BACK = re.compile(
    r"\b(?:not|n't|isn't|hardly|by no means|far from|never|nor) (?:\w+ ){0,2}(?:unanswerable|unknown|n/a)\b"
    r"|(?:unanswerable|unknown) (?:is|would be) (?:not|wrong|incorrect)"
)
#: Abstentions are said early or late; between lies only talk.
_REACH = 4000


def abstains(text: str) -> bool:
    """True where the folded text says that the answer is not to be found."""
    if len(text) > 2 * _REACH:
        text = f"{text[:_REACH]}\n{text[-_REACH:]}"
    if _ALONE.fullmatch(text):
        return True
    return bool(_ABSTAINS.search(_TAKEN_BACK.sub(" ", text)))
