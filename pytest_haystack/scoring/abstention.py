"""Telling that an answer says the text lacks what was asked for."""

from __future__ import annotations

import re

_SEEK = (
    r"(?:find|found|locate|see|spot|identify|determine|tell|know|answer|contain|mention|state|say|specify|provide"
    r"|include|give|list|indicate|appear|reveal|disclose|name|exist|cover|have|hold|address|refer|record)(?:s|d|ed)?"
)
_NOTED = (
    r"(?:mentioned|stated|specified|found|given|provided|available|present|included|listed|contained|known|indicated"
    r"|disclosed|recorded|named|covered|described|revealed|applicable|determinable|answerable"
    r"|(?:in|part of) the (?:text|document|passage|context)|enough (?:information|info|context|data))"
)
_FILLER = r"(?: (?:to|be|been|able to|even|seem to|ever|\w+ly))*"
_ENGLISH = (
    rf"(?:\b(?:not|cannot|never|unable|nowhere)|n't){_FILLER} {_SEEK}\b",
    rf"(?:\b(?:not|never|nowhere)|n't)(?: \w+ly| been| be| being)? {_NOTED}",
    r"\b(?:cannot|can't|could not|couldn't) be (?:answered|identified|located|known|inferred)",
    (
        r"\bno (?:\w+ ){1,5}"
        r"(?:mentioned|stated|given|found|listed|provided|specified|present|available|recorded)\b"
    ),
    r"\b(?:there (?:is|are|was|were)|i (?:see|find|found|have)|contains?|has|have|with|gives?|provides?|offers?) no\b",
    r"\bnone (?:for|of (?:the|these|those|them|which|whom)|is|was|are|were|given|mentioned|listed|found)\b",
    r"\b(?:lacks?|lacking|omits?|absent from|missing from|silent on|without (?:any )?mention|no mention|no such)\b",
    r"\b(?:found|find|finds|see|says?|contains?|mentions?|gives?|provides?) nothing\b|\bnothing (?:about|on|is said)\b",
    rf"\b(?:impossible|not possible|no way) to {_SEEK}\b",
    r"\b(?:no|insufficient|not enough) (?:information|info|record|answer|data|context)\b",
    r"\b(?:unanswerable|unknown|undisclosed|unspecified|n/a|not applicable)\b",
)
_OTHER_LANGUAGES = (
    # German, Dutch
    r"\bnicht (?:\w+ )?(?:gefunden|erwähnt|enthalten|angegeben|genannt|finden|bekannt|im text)\b",
    r"\bkeine? (?:angabe|information|hinweis)\w*|\bnicht (?:\w+ )?beantwort\w*",
    r"\bkein\w* (?:[\w-]+ ){1,5}(?:genannt|erwähnt|angegeben|enthalten|gefunden)\b",
    r"\bniet (?:\w+ )?(?:gevonden|vermeld|genoemd|vinden)\b",
    # French, Spanish, Portuguese, Italian
    r"\bn(?:e |')(?:\w+ )?(?:mentionn|contien|indiqu|précis|trouv|di|donn|figur)\w* pas\b",
    r"\b(?:pas|aucune?) (?:\w+ )?(?:mention|trouv|indiqu|précis|information|donné)\w*",
    r"\bno (?:se )?(?:menciona|encuentra|indica|aparece|contiene|especifica|he encontrado|encontré|encuentro)\b",
    r"\bno hay (?:ningun\w* )?(?:información|datos?|menci|códig|respuesta)\w*",
    r"\bnão (?:\w+ )?(?:mencion|encontr|indic|cont[eé]m|const|inform)\w*",
    r"\bnon (?:è )?(?:menzionat|indicat|trov|contien|present|specificat)\w*",
    # Polish, Russian, Turkish
    r"\bnie (?:\w+ )?(?:znal|poda|zawiera|wspomin)\w*|belirtilm|bulunam|bahsedilm",
    r"(?<!\w)не (?:\w+ )?(?:найд|найти|наш|указ|упомин|содерж|сказ)\w*|нет (?:информации|данных|ответа|упоминани)",
    # Chinese, Japanese, Korean
    r"未(?:提及|提到|提供|找到|包含|说明|知)|没有(?:提到|提及|提供|说明|给出|找到|相关|任何)|沒有提到|找不到|不包[含括]|[无無]法(?:找到|确定|回答|得知)",
    (
        r"見つかりません|(?:記載|言及)され?てい?(?:ません|ない)|(?:記載|情報|言及)(?:が|は)(?:あり|な)"
        r"|(?:含まれ|書かれ)てい(?:ません|ない)|わかりません|不明"
    ),
    r"찾을 수 없|언급되(?:지|어 있지) ?않|나와 있지 않|포함되어 있지 않|없습니다|알 수 없",
    # Arabic, Hindi
    r"(?<!\w)لم (?:أجد|يذكر|يرد|أعثر)|لا (?:[يت]حتوي|[يت]ذكر|[يت]وجد)|غير (?:مذكور|موجود|معروف)",
    r"उल्लेख नहीं|नहीं मिल|नहीं दिया|नहीं है|उपलब्ध नहीं",
)
_ABSTAINS = re.compile("|".join(_ENGLISH + _OTHER_LANGUAGES))
_ALONE = re.compile(
    r"\W*(?:none|nothing|null|nil|nan|undefined|no answer|n\.?/?a\.?|unknown|not sure|no idea|i don't know|idk)\W*"
)
_TAKEN_BACK = re.compile(
    r"\b(?:not|\w+n't|hardly|by no means|far from|never|nor) (?:\w+ ){0,2}(?:unanswerable|unknown|n/a)\b"
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
