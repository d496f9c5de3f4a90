"""headers.py: reads the public headers, include/perp/*.h, into declarations and their comments.

The headers are plain C with plain comments, and this reader knows the form they have:

  // text                above a declaration: what the next declaration is
  int32_t n;   // text   behind it: the same; it goes on in the comment lines below, and behind the
                         next declaration if it begins with three spaces there
  // ---- title          a section of the page

Lines indented by four spaces or more in a comment are formulas or code. A comment that begins with
"from here to NAME:" is about all declarations up to NAME. An enum that stands on one line has one
comment for all. Fields that mean the same in every struct, such as n, need none (by_convention). A
declaration that this reader does not understand is an error, so nothing is left out.
"""
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEXEME = re.compile(r'(?P<space>[ \t\n]+)|(?P<remark>//[^\n]*)|(?P<inline>/\*.*?\*/)'
                    r'|(?P<directive>\#(?:[^\n\\/]|\\\n|\\|/(?!/))*)|(?P<string>"[^"\n]*")'
                    r'|(?P<word>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<sign>[^\w\s])', re.S)
QUALIFIERS = {'const', 'struct', 'enum', 'unsigned', 'signed', 'long', 'short'}


class Problem(Exception):
    """A header that cannot be read."""


@dataclasses.dataclass
class Token:
    text: str
    line: int
    column: int
    start: int
    end: int


@dataclasses.dataclass
class Item:
    """A declaration: function, struct, enum, opaque, macro, list, value or field."""
    kind: str
    name: str
    line: int
    code: str = ''            # as it stands in the header
    type: str = ''            # of a field or function, without names
    lead: str = ''            # the comment above it
    doc: str = ''             # the comment behind it
    members: list = dataclasses.field(default_factory=list)
    value: str = ''           # of a macro or value
    names: list = dataclasses.field(default_factory=list)   # fields: all that the line declares
    types: list = dataclasses.field(default_factory=list)   # and the type of each
    note: str = ''            # a comment above it that is about several members
    covered: bool = False     # the last note is about it
    run: int = 0              # members with the same number share one comment
    same: bool = False        # its comment is that of the member before it
    origin: str = ''          # enums: the list macro that its values come from
    entries: list = dataclasses.field(default_factory=list)   # lists: (name, text, ...)

    def text(self):
        return '\n\n'.join(part for part in (self.lead, self.doc) if part)


class Header:
    """A header: its name, its first comment, and its items in their sections."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.source = path.read_text()
        self.lines = self.source.split('\n')
        self.lex()
        self.find_comments()
        self.items = []
        self.sections = []       # (title, line)
        self.position = 0
        self.intro = ''
        self.notes = []          # (line, text): comments that stand alone
        self.lists = {}
        self.parse()

    def fail(self, line, why):
        raise Problem(f'include/perp/{self.path.name}:{line}: {why}')

    # ------------------------------------------------------------------------------------- lexemes

    def lex(self):
        self.tokens, self.remarks = [], []
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        line = 1
        for found in self.match_all():
            kind, text, at = found.lastgroup, found.group(), found.start()
            column = at - starts[line - 1]
            if kind == 'remark':
                alone = not self.lines[line - 1][:column].strip()
                self.remarks.append((line, column, text[2:].rstrip(), alone))
            elif kind not in ('space', 'inline'):
                if kind == 'directive':
                    text = text.rstrip()
                self.tokens.append(Token(text, line, column, at, at + len(text)))
            line += found.group().count('\n')

    def match_all(self):
        at = 0
        while at < len(self.source):
            found = LEXEME.match(self.source, at)
            if not found:
                self.fail(self.source.count('\n', 0, at) + 1, 'cannot be read')
            yield found
            at = found.end()

    # ------------------------------------------------------------------------------------ comments

    def find_comments(self):
        """above: comments by their last line and column. behind: line of code -> comment."""
        self.above, self.behind, self.standing = {}, {}, []
        run = None                                   # behind code: [last line, texts]
        block = None                                 # above code: [first, last, column, texts]
        for line, column, text, alone in self.remarks:
            if alone and column <= 2:                # in line with declarations
                run = None
                if block and block[1] == line - 1 and block[2] == column:
                    block[1] = line
                    block[3].append(text)
                else:
                    block = [line, line, column, [text]]
                    self.standing.append(block)
                self.above[line, column] = block
                continue
            goes_on = run and run[0] == line - 1 and (alone or text.startswith('   '))
            if goes_on:
                run[0] = line
                run[1].append(text)
            else:
                run = [line, [text]]
            if not alone:
                self.behind[line] = run
            elif not goes_on:                        # below a declaration without one of its own
                self.behind[line - 1] = run
        self.used = set()

    def comment_above(self, line, column):
        block = self.above.get((line - 1, column))
        if not block or block[1] != line - 1 or re.match(r' -{4}', block[3][0]):
            return ''
        self.used.add(id(block))
        return paragraphs(block[3])

    def comment_behind(self, line):
        run = self.behind.get(line)
        return ' '.join(text.strip() for text in run[1]) if run else ''

    # ------------------------------------------------------------------------------------- grammar

    def peek(self, ahead=0):
        at = self.position + ahead
        return self.tokens[at] if at < len(self.tokens) else Token('', len(self.lines), 0, 0, 0)

    def take(self, text=None):
        token = self.peek()
        if not token.text or (text is not None and token.text != text):
            self.fail(token.line, f'expected {text or "more"}, found {token.text or "the end"}')
        self.position += 1
        return token

    def until(self, *ends):
        """The tokens up to one of these, outside of brackets; it is taken too."""
        taken, depth = [], 0
        while True:
            token = self.take()
            if depth == 0 and token.text in ends:
                return taken, token
            depth += {'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}.get(token.text, 0)
            taken.append(token)

    def parse(self):
        first = self.standing[0] if self.standing else None
        if not first or not first[3][0].startswith(f' {self.path.name}: '):
            self.fail(1, f'begins with "// {self.path.name}: ..."')
        self.used.add(id(first))
        self.intro = paragraphs([first[3][0][len(self.path.name) + 3:]] + first[3][1:])
        depth = 0
        while self.peek().text:
            token = self.peek()
            if token.text.startswith('#'):
                self.directive(self.take())
            elif token.text == 'extern':
                self.take(), self.take('"C"'), self.take('{')
                depth += 1
            elif token.text == '}' and depth:
                self.take()
                depth -= 1
            else:
                self.declaration()
        spread(self.items, self)
        for item in self.items:
            spread(item.members, self)
            if item.origin and not item.text():
                item.lead = self.lists[item.origin].lead
        for block in self.standing:
            title = re.match(r' -{4,} (.*)$', block[3][0])
            if title:
                self.sections.append((title.group(1), block[0]))
            elif id(block) not in self.used:
                self.notes.append((block[0], paragraphs(block[3])))

    def add(self, kind, name, first, last, **more):
        item = Item(kind, name, first.line, lead=self.comment_above(first.line, first.column),
                    doc=self.comment_behind(last.line), **more)
        self.items.append(item)
        return item

    def directive(self, token):
        text = re.sub(r'\\\n', ' ', token.text)
        found = re.match(r'#define (\w+)(\([^)]*\))?\s*(.*)$', text)
        if not found or (not found.group(3) and found.group(1).endswith('_H')):
            return
        name, arguments, value = found.groups()
        last = Token('', token.line + token.text.count('\n'), token.column, 0, 0)
        if not arguments:
            self.add('macro', name, token, last, value=value.strip())
            return
        entries = []
        for entry in re.finditer(r'X\((\w+)((?:,\s*(?:"[^"]*"\s*)+)*)\)', value):
            texts = [''.join(re.findall(r'"([^"]*)"', part))
                     for part in re.findall(r'(?:"[^"]*"\s*)+', entry.group(2))]
            entries.append((entry.group(1), *texts))
        rest = re.sub(r'X\((\w+)((?:,\s*(?:"[^"]*"\s*)+)*)\)', '', value)
        if arguments != '(X)' or rest.strip() or not entries:
            self.fail(token.line, f'{name} is neither a constant nor a list of X(...)')
        self.lists[name] = self.add('list', name + '(X)', token, last, entries=entries)

    def declaration(self):
        first = self.peek()
        if first.text == 'typedef':
            self.take()
            kind = self.take().text
            if kind not in ('struct', 'enum'):
                self.fail(first.line, 'a typedef of neither a struct nor an enum')
            tag = self.take()
            if self.peek().text == '{':
                self.body(kind, tag.text, first)
                name = self.take()
            else:
                name = self.take()
                self.add('opaque', name.text, first, name)
            self.take(';')
            if name.text != tag.text:
                self.fail(name.line, f'{kind} {tag.text} has another name, {name.text}')
        elif first.text in ('struct', 'enum') and self.peek(1).text == '{':
            self.take()
            self.body(first.text, '', first)
            self.take(';')
        elif first.text in ('struct', 'enum') and self.peek(2).text in ('{', ';'):
            self.take()
            tag = self.take()
            if self.peek().text == '{':
                self.body(first.text, tag.text, first)
            else:
                self.add('opaque', f'struct {tag.text}', first, self.peek())
            self.take(';')
        else:
            taken, end = self.until(';')
            names, types = declarators(taken)
            if len(names) != 1 or '(' not in types[0]:
                self.fail(first.line, f'not a function: {" ".join(t.text for t in taken)}')
            self.add('function', names[0], first, end, type=types[0],
                     code=self.source[first.start:end.start] + ';')

    def body(self, kind, name, first):
        opening = self.take('{')
        item = self.add(kind, name, first, opening)
        (self.fields if kind == 'struct' else self.values)(item)
        closing = self.take('}')
        if closing.line == opening.line:
            item.doc = item.doc or self.comment_behind(closing.line)
            for member in item.members:
                member.lead, member.doc = item.lead, item.doc
        elif closing.line in self.behind and self.peek(1).text == ';':
            self.fail(closing.line, 'a comment behind the end of a declaration')

    def values(self, item):
        pattern = None
        while self.peek().text != '}':
            token = self.take()
            if token.text.startswith('#'):
                found = re.match(r'#define PERP_X\(.*?\) (\w+)##id,$', token.text)
                pattern = found.group(1) if found else pattern
                continue
            if self.peek().text == '(':              # PERP_ERROR_LIST(PERP_X)
                self.take('('), self.take('PERP_X'), self.take(')')
                if token.text not in self.lists or not pattern:
                    self.fail(token.line, f'{token.text} is not a list in this header')
                item.origin = token.text
                for entry in self.lists[token.text].entries:
                    item.members.append(Item('value', pattern + entry[0], token.line,
                                             doc=entry[-1], value=entry[1]))
                continue
            value = ''
            if self.peek().text == '=':
                self.take()
                value = self.take().text
            one = Item('value', token.text, token.line, value=value, names=[token.text],
                       lead=self.comment_above(token.line, token.column),
                       run=id(self.behind.get(token.line, None)),
                       doc=self.comment_behind(token.line))
            if token.line == item.line:              # on the line of the enum: one comment
                one.lead, one.doc = item.lead, item.doc
            item.members.append(one)
            if self.peek().text == ',':
                self.take()

    def fields(self, item):
        while self.peek().text != '}':
            first = self.peek()
            if first.text == 'struct' and self.peek(1).text == '{':   # struct { ... } of[COUNT]
                self.take(), self.take('{')
                inner = Item('struct', '', first.line)
                self.fields(inner)
                self.take('}')
                taken, end = self.until(';')
                array = ''.join(t.text for t in taken)
                for field in inner.members:
                    field.names = [array + '.' + one for one in field.names]
                    field.code = re.sub(rf'\b{field.name}\b', f'{array}.{field.name}', field.code)
                    field.doc = field.doc or self.comment_behind(end.line)
                    field.lead = field.lead or self.comment_above(first.line, first.column)
                    item.members.append(field)
                continue
            taken, end = self.until(';')
            names, types = declarators(taken)
            code = self.source[first.start:end.start]
            if first.line != end.line:
                code = re.sub(r'\n\s*', ' ', code)
            item.members.append(Item('field', names[0], first.line, code=code, type=types[0],
                                     names=names, types=types,
                                     run=id(self.behind.get(end.line, None)),
                                     lead=self.comment_above(first.line, first.column),
                                     doc=self.comment_behind(end.line)))


def spread(items, header):
    """Gives comments that are about several declarations to each of them."""
    until, text, previous = '', '', None
    if items and items[0].kind == 'field':
        by_convention(items)
    for item in items:
        for part in ('lead', 'doc'):
            found = re.match(r'[Ff]rom here to (\w+): (.*)', getattr(item, part), re.S)
            if found:
                setattr(item, part, '')
                if previous and previous.run == item.run and item.kind != 'function':
                    continue                         # the same comment goes on here
                until, text = found.groups()
                item.note = f'from here to {until}: {text}' if item.kind == 'field' else text
                if not any(until in (one.name, *one.names) for one in items):
                    header.fail(item.line, f'the comment reaches to {until}, which is not here')
        if item.kind == 'field' and item.lead and item.doc:
            item.note, item.lead = item.lead, ''     # a remark on what follows
        item.covered = bool(until)
        if item.covered and not item.text() and item.kind != 'field':
            item.doc = text
            item.same = item.kind == 'value' and previous and previous.doc == text
        elif previous and item.doc and previous.doc == item.doc and previous.run == item.run:
            item.same = True
        if until in (item.name, *item.names):
            until = ''
        previous = item


def by_convention(fields):
    """What some fields mean in every struct, without a comment."""
    for field, after in zip(fields, fields[1:] + [None]):
        if field.text():
            continue
        counts = after and re.fullmatch(r'(\w+)_count', after.name)
        before = re.fullmatch(r'(\w+)_count', field.name)
        if field.names == ['n']:
            field.doc = 'size of the problem: rows of A'
        elif field.name.endswith('context') and field.type == 'void *':
            field.doc = 'handed to the functions that take it'
        elif field.name == 'reserved':
            field.doc = 'not used'
        elif counts and field.name.startswith(counts.group(1)) and field.type.endswith('*'):
            field.doc = after.name
        elif before and any(one.name.startswith(before.group(1)) and one.type.endswith('*')
                            for one in fields):
            field.doc = 'entries of it'


def paragraphs(lines):
    """Comment lines as text: paragraphs joined, separated by empty lines; code keeps its lines."""
    result, previous = [], ''
    for line in lines:
        kind = 'empty' if not line.strip() else 'code' if line.startswith('    ') else 'prose'
        if kind == 'code':
            result.append('\n' + line if previous == 'code' else '\n\n' + line)
        elif kind == 'prose':
            result.append((' ' if previous == 'prose' else '\n\n') + line.strip())
        previous = kind
    return ''.join(result).strip('\n').strip() if result and previous != 'code' \
        else ''.join(result).strip('\n')


def spell(tokens):
    """Tokens as text: 'const double *(*)(void *, int32_t)'."""
    text = ''
    for token in tokens:
        if text and re.match(r'\w', token) and (re.search(r'\w$', text) or text.endswith(',')):
            text += ' '
        elif text and token in '*(' and re.search(r'\w$', text) and not text.endswith('('):
            text += ' '
        text += token
    return text


def declarators(tokens):
    """Names and types of what these tokens declare."""
    words = [token.text for token in tokens]
    base, at = [], 0
    while at < len(words) and (words[at] in QUALIFIERS or not base
                               or all(word in QUALIFIERS for word in base)):
        base.append(words[at])
        at += 1
    while at < len(words) and words[at] == 'const':
        base.append(words[at])
        at += 1
    names, types, one, depth = [], [], [], 0
    for word in words[at:] + [',']:
        depth += (word in '([') - (word in ')]')
        if word != ',' or depth:
            one.append(word)
            continue
        where = 0
        while where < len(one) and not re.match(r'[A-Za-z_]', one[where]) or \
                where < len(one) and one[where] == 'const':
            where += 1
        if where == len(one):
            raise Problem(f'no name in: {" ".join(words)}')
        names.append(one[where])
        types.append(spell(base + one[:where] + without_names(one[where + 1:])))
        one = []
    return names, types


def without_names(words):
    """The rest of a declarator: parameters lose their names."""
    if '(' not in words:
        return words
    start = words.index('(')
    depth, parameter, result = 0, [], words[:start] + ['(']
    for at, word in enumerate(words[start + 1:], start + 1):
        if depth == 0 and word in ',)':
            if parameter and parameter != ['void']:
                base = [type('Word', (), {'text': one})() for one in parameter]
                result.append(declarators(base)[1][0])
            else:
                result += parameter
            parameter = []
            result.append(word)
            if word == ')':
                return result + words[at + 1:]
            continue
        depth += (word in '([') - (word in ')]')
        parameter.append(word)
    return result


def read_all(folder=None):
    """All headers, perp.h first."""
    paths = sorted(pathlib.Path(folder or ROOT / 'include' / 'perp').glob('*.h'))
    paths.sort(key=lambda path: path.name != 'perp.h')
    return [Header(path) for path in paths]


def which_library(header):
    """The library that a header belongs to: the client of that name in sim/, or perp itself."""
    client = ROOT / 'sim' / header.name / 'CMakeLists.txt'
    return f'perp-{header.name}' if client.exists() else 'perp'


if __name__ == '__main__':
    for one in read_all(sys.argv[1] if len(sys.argv) > 1 else None):
        print(one.path.name, [title for title, _ in one.sections])
        for entry in one.items:
            print(f'  {entry.kind} {entry.name}: {entry.type} | {entry.text()!r}')
            for member in entry.members:
                print(f'      {member.names or member.name} {member.types} {member.value}'
                      f' | {member.text()!r}')
