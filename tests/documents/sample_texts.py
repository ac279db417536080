"""Small texts in many scripts, shuffled to any length, and a haystack source made of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import ClassVar

from pytest_haystack.haystacks.source import Source, SourceOptions

ENGLISH = (
    "The ferry left at dawn, before the bakers had opened their shutters.",
    "Nobody on the quay could say why the old lighthouse was painted green.",
    "Mr. Hale, who kept the ledgers, disagreed with everyone about the price of salt.",
    '"If the tide turns," she said, "we shall simply walk home."',
    "It took eleven years to survey the marshes, and another four to draw the map.",
    "A good question is worth more than a quick answer; a patient reader knows both.",
    "The committee met on Tuesdays (except in August) and never once agreed.",
    "They'd measured the well at 42.7 metres, or so the engineer's notebook claimed.",
    "Was the bridge ever finished? The records don't say, and the river won't.",
    "In winter the whole valley smelled of apples, smoke and wet wool.",
    "He counted the steps again: one hundred and nineteen, just like yesterday!",
    "Whatever the clock in the square showed, the town lived ten minutes behind it.",
)
CHINESE = (
    "清晨的渡船离开码头时，面包店的门还没有打开。",
    "没有人知道那座老灯塔为什么被漆成了绿色。",
    "负责记账的何先生，对盐的价格总有不同的看法。",
    "她说：“如果潮水退了，我们就走路回家吧！”",
    "测量这片沼泽用了十一年，画成地图又花了四年。",
    "一个好问题比一个快答案更有价值；耐心的读者两者都懂。",
    "委员会每逢星期二开会（八月除外），却从来没有达成过一致。",
    "工程师的笔记本上写着：井深42.7米，水温12度。",
    "那座桥到底修完了没有？档案里没有记载，河水也不会回答。",
    "冬天，整个山谷都弥漫着苹果、炊烟和湿羊毛的气味。",
)
JAPANESE = (
    "渡し船は、パン屋が店を開ける前の夜明けに出発した。",
    "古い灯台がなぜ緑色に塗られているのか、誰も知らなかった。",
    "帳簿をつけているハレさんは、塩の値段についていつも違う意見を言う。",
    "「潮が引いたら、歩いて帰りましょう」と彼女は言った。",
    "湿地の測量には十一年かかり、地図を描くのにさらに四年かかった。",
    "よい質問は早い答えよりも価値がある。ゆっくり読む人はそれを知っている。",
    "委員会は毎週火曜日に開かれたが（八月を除く）、意見が一致したことは一度もない。",
    "橋は完成したのだろうか？記録には何も書かれていない。",
    "冬になると、谷じゅうにりんごと煙と濡れた羊毛のにおいがした。",
    "コンピューターのログには、エラーが３件だけ残っていた！",
)
HINDI = (
    "नाव सुबह होने से पहले ही घाट से निकल गई।",
    "किसी को नहीं मालूम था कि पुराना प्रकाशस्तंभ हरे रंग का क्यों है।",
    "हिसाब रखने वाले शर्मा जी नमक के दाम पर सबसे असहमत रहते थे।",
    "उसने कहा, अगर पानी उतर गया तो हम पैदल ही घर चलेंगे।",
    "दलदल की माप में ग्यारह साल लगे और नक्शा बनाने में चार साल और।",
    "एक अच्छा प्रश्न जल्दी मिले उत्तर से अधिक मूल्यवान होता है।",
    "समिति हर मंगलवार को बैठती थी, पर कभी सहमत नहीं हुई।",
    "क्या पुल कभी पूरा हुआ? अभिलेखों में कुछ नहीं लिखा है।",
    "सर्दियों में पूरी घाटी सेब, धुएँ और गीली ऊन की गंध से भर जाती थी।",
    "विश्वविद्यालय के पुस्तकालय में पुरानी पांडुलिपियाँ सुरक्षित रखी हैं।",
)
ARABIC = (
    "غادرت العبّارة الرصيف عند الفجر قبل أن تفتح المخابز أبوابها.",
    "لم يعرف أحد لماذا طُليت المنارة القديمة باللون الأخضر.",
    "كان السيد هلال، الذي يمسك الدفاتر، يخالف الجميع في سعر الملح.",
    "قالت: إذا انحسر المدّ فسوف نعود إلى البيت سيرًا على الأقدام.",
    "استغرق مسح المستنقعات أحد عشر عامًا، ورسم الخريطة أربعة أعوام أخرى.",
    "السؤال الجيد أثمن من الجواب السريع؛ والقارئ الصبور يعرف ذلك.",
    "اجتمعت اللجنة كل يوم ثلاثاء، ولم تتفق مرة واحدة.",
    "هل اكتمل بناء الجسر؟ السجلات لا تقول شيئًا عن ذلك.",
    "في الشتاء كانت رائحة التفاح والدخان تملأ الوادي كله.",
)
RUSSIAN = (
    "Паром отошёл от причала на рассвете, когда пекари ещё не открыли ставни.",
    "Никто не мог объяснить, почему старый маяк покрасили в зелёный цвет.",
    "Счетовод Горин, человек упрямый, спорил со всеми о цене соли.",
    "— Если начнётся отлив, — сказала она, — мы просто пойдём домой пешком.",
    "Болота измеряли одиннадцать лет, и ещё четыре года чертили карту.",
    "Хороший вопрос дороже быстрого ответа; терпеливый читатель знает и то и другое.",
    "Комиссия собиралась по вторникам (кроме августа) и ни разу не пришла к согласию.",
    "Достроили ли мост? В бумагах об этом ничего нет, а река молчит.",
    "Зимой вся долина пахла яблоками, дымом и мокрой шерстью.",
)
EMOJI = (
    "Breakfast today: 🥐☕️🍓 and then straight to the harbour ⛵️🌊.",
    "The whole family came 👨‍👩‍👧‍👦, even grandma 👵🏽 and the dog 🐕‍🦺!",
    "Weather report 🌦️➡️☀️, bring a hat 👒 or two 👒👒.",
    "Flags on the pier: 🇯🇵🇧🇷🇮🇳🇺🇦🏴󠁧󠁢󠁳󠁣󠁴󠁿 and a rainbow one 🏳️‍🌈.",
    "Keypad says 1️⃣2️⃣3️⃣ but the door says 🚪❌🤷🏿‍♀️.",
    "She answered with a heart ❤️‍🔥 and three thumbs 👍🏻👍🏽👍🏿.",
)
_PYTHON = """\
def survey(marsh: Marsh, years: int = 11) -> Map:
    total = 0
    for year in range(years):
        total += marsh.measure(year)  # metres
    return Map(total / years)

class Ferry:

    def __init__(self, name: str) -> None:
        self.name = name"""
_C = """\
int main(void) {
\tint steps = 119;
\twhile (steps > 0) {
\t\tsteps = steps % 2 ? steps - 1 : steps / 2;
\t}
\treturn steps;
}"""
_JAVASCRIPT = """\
const price = {salt: 4.25, wool: [1, 2, 3], note: "<|endoftext|>"};
console.log(price?.salt ?? 0);"""
_SQL = """\
SELECT name, COUNT(*) AS n
FROM ledgers
WHERE price >= 4.25 AND town <> 'Hale'
GROUP BY name;"""
CODE = (_PYTHON, _C, _JAVASCRIPT, _SQL)

#: Name to sentences and what joins them.
_PROSE = {
    "english": (ENGLISH, " "),
    "chinese": (CHINESE, ""),
    "japanese": (JAPANESE, ""),
    "hindi": (HINDI, " "),
    "arabic": (ARABIC, " "),
    "russian": (RUSSIAN, " "),
    "emoji": (EMOJI, " "),
    "code": (CODE, "\n\n"),
}
LANGUAGES = tuple(_PROSE)


def sample_text(language: str, characters: int, seed: int = 0) -> str:
    """At least this many characters of shuffled sentences in paragraphs; longer texts begin with shorter ones."""
    sentences, joint = _PROSE[language]
    rng = random.Random(f"{language}/{seed}")
    paragraphs: list[str] = []
    length = 0
    while length < characters:
        paragraph = joint.join(rng.choices(sentences, k=rng.randint(2, 12)))
        paragraphs.append(paragraph)
        length += len(paragraph) + 2
    return "\n\n".join(paragraphs) + "\n"


def hard_wrapped(text: str, width: int = 72) -> str:
    """The text with its spaces near every ``width`` characters turned into line ends."""
    lines, line = [], ""
    for word in text.replace("\n\n", " ").split(" "):
        if len(line) + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line]) + "\n"


class TextSource(Source):
    """A haystack source that holds one text."""

    name: ClassVar[str] = "text"

    def __init__(self, text: str) -> None:
        super().__init__(SourceOptions(), Path())
        self.text = text

    def read(self, characters: int) -> str:
        return self.text[:characters]

    @property
    def sha256(self) -> str:
        return "0" * 64


class EndlessSource(Source):
    """A haystack source of endless text in one language."""

    name: ClassVar[str] = "endless"

    def __init__(self, language: str, seed: int = 0) -> None:
        super().__init__(SourceOptions(), Path())
        self.language, self.seed = language, seed

    def read(self, characters: int) -> str:
        return sample_text(self.language, characters, self.seed)[:-1]

    @property
    def sha256(self) -> str:
        return "1" * 64
