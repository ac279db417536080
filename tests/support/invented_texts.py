"""Articles and abstracts in the form in which services give them, of invented prose in three scripts."""

from __future__ import annotations

from tests.support.text_services import Page, Paper

_ENGLISH = (
    (
        "The keeper of mill {n} walked down to the river every morning before the sun was up, looked at the level of "
        "the water, and wrote it into a book that his grandmother had begun. Nobody ever asked him for it."
    ),
    (
        "Old people say that the snow of {n} winters ago lay for a month, and that even the door of the bell tower "
        "could not be opened. When it melted at last, the whole village came out and dug a path to the bridge together."
    ),
    (
        "In autumn barge {n} carried apples and honey down the river, and the children ran along the bank with it. "
        "Was there ever a finer thing to see? The bargeman sang as far as the weir, and there he needed his breath."
    ),
)
_CHINESE = (
    "第{n}号磨坊的主人每天清晨都会走到河边查看水位。他的女儿在院子里晒谷子，邻居们则忙着修补屋顶。",
    "村里的老人常说，{n}年前的那场雪下了整整一个月，连钟楼的门都推不开。后来大家一起挖出了一条小路。",
    "到了秋天，第{n}条船载着苹果和蜂蜜沿河而下，船夫一路唱着歌。孩子们在岸上追着船跑，直到桥头才停下。",
)
_ARABIC = (
    "كان صاحب الطاحونة رقم {n} يخرج كل صباح إلى ضفة النهر ليراقب ارتفاع الماء، ثم يعود إلى بيته قبل شروق الشمس.",
    "يقول شيوخ القرية إن الثلج الذي سقط قبل {n} عامًا دام شهرًا كاملًا، حتى إن باب البرج لم يكن يُفتح. هل تصدق ذلك؟",
    "وفي الخريف كانت السفينة رقم {n} تحمل التفاح والعسل مع مجرى النهر، وكان الأطفال يركضون خلفها حتى الجسر.",
)


def english(number: int, count: int = 12) -> list[str]:
    """Paragraphs of English prose, others for each number."""
    return in_script(_ENGLISH, number, count)


def in_script(patterns: tuple[str, ...], number: int, count: int = 24) -> list[str]:
    """Paragraphs of a few patterned sentences, others for each number."""
    return [patterns[line % len(patterns)].format(n=number * 100 + line) for line in range(count)]


def chinese(number: int) -> list[str]:
    """Paragraphs of Chinese prose."""
    return in_script(_CHINESE, number)


def arabic(number: int) -> list[str]:
    """Paragraphs of Arabic prose."""
    return in_script(_ARABIC, number)


def wikitext(title: str, texts: list[str]) -> str:
    """An article of these paragraphs with what else stands in an article; its prose is the paragraphs."""
    head = f"{{{{Infobox place\n| name = {title}\n| size = {{{{convert|5|km}}}}\n}}}}\n[[Bild:X.jpg|thumb|''A''.]]\n"
    body = "\n\n".join(f"{text}<ref>{{{{cite book|title=No. {number}}}}}</ref>" for number, text in enumerate(texts))
    rest = (
        '\n\n== Figures ==\n{| class="wikitable"\n! Year !! Mills\n|-\n| 1901 || 7\n|}\n* One item\n* [[Another]]\n'
        "\n== References ==\n{{reflist}}\n{{Navbox mills}}\n[[Ordner:Mills]]\n[[fr:Moulins]]\n<!-- end -->\n"
    )
    # As long as real ones, which are measured in bytes of wikitext.
    return head + body + rest + "{{Navbox|" + "list " * 1000 + "}}"


def english_wiki(count: int = 64) -> dict[int, Page]:
    """A wiki of that many pages: articles, and a few of what must not be taken for one."""
    pages: dict[int, Page] = {}
    for number in range(1, count + 1):
        title = f"Mill {number:03}"
        text = wikitext(title, english(number))
        if number % 8 == 1:
            pages[number] = Page(title, {number * 10: f"#REDIRECT [[Mill {number + 1:03}]]"}, redirect=True)
        elif number % 8 == 2:
            pages[number] = Page(title, {number * 10: text}, disambiguation=True)
        elif number % 8 == 3:
            pages[number] = Page(f"Talk:{title}", {number * 10: text}, namespace=1)
        elif number % 8 == 4:
            pages[number] = Page(title, {number * 10: "A stub."})
        elif number % 8 == 5:
            pages[number] = Page(title, {number * 10: "* One of many mills on a list\n" * 250})
        else:
            pages[number] = Page(title, {number * 10: text})
    return pages


def wiki_of(texts: dict[int, list[str]]) -> dict[int, Page]:
    """A wiki of one article for each number."""
    return {number: Page(f"№ {number}", {number * 10: wikitext(str(number), text)}) for number, text in texts.items()}


def abstract(number: int, version: int = 1) -> str:
    """An abstract in TeX, broken into lines as the service does."""
    words = f"Version {version} of a study of {number} mills. {english(number, 1)[0]} {english(number + 1000, 1)[0]}"
    words += r" The yield rose by $10^{-3}$ \emph{barrels} -- as Erd\H{o}s said. It obeys $\sum_i x_i = \frac{1}{2}$."
    lines, line = [], ""
    for word in words.split():
        if len(line) + len(word) > 78:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def papers(count: int) -> list[Paper]:
    """Papers of cs.CL, every third in two versions, every fifth withdrawn."""
    found = []
    for number in range(count):
        versions = [abstract(number, version) for version in range(1, 3 if number % 3 == 0 else 2)]
        if number % 5 == 4:
            versions = ["This paper has been withdrawn by the author."]
        found.append(Paper(f"2501.{number:05}", f"On mills, part\n  {number}", versions))
    return found
