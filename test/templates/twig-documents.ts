import { type TwigInput, times } from './twig-input.ts'

const names = (count: number): string => times(count, (index) => `n${index}`, ',')
const markdown = (name: string, text: string): TwigInput => ({
  name: `markdown_to_html: ${name}`,
  template: '{{ text|markdown_to_html }}',
  context: { text },
})
const markdownOfAuthor = (name: string, text: string): TwigInput => ({
  name: `markdown_to_html of the author: ${name}`,
  template: `{% apply markdown_to_html %}${text}{% endapply %}`,
})
const html = (name: string, text: string): readonly TwigInput[] =>
  (['html_to_markdown', 'inline_css'] as const).map((filter) => ({
    name: `${filter}: ${name}`,
    template: `{{ html|${filter}${filter === 'inline_css' ? "('p b { color: red }')" : ''} }}`,
    context: { html: text.slice(0, filter === 'inline_css' ? 900_000 : 99_000) },
  }))

/** HTML, CSS and Markdown for the filters that parse them. */
export const hostileDocuments: readonly TwigInput[] = [
  ...html('blanks in pre', `<pre>a${' '.repeat(90_000)}b</pre>`),
  ...html('blanks by number in pre', `<pre>a${'&#32;'.repeat(18_000)}b</pre>`),
  ...html('hard blanks', `<p>a${'\u00a0'.repeat(90_000)}b</p>`),
  ...html('blanks before a hard one', `<pre>a${' '.repeat(45_000)}\u00a0</pre>`),
  ...html('lines in quotes', `${'<blockquote>'.repeat(50)}<pre>${'\n'.repeat(90_000)}x`),
  ...html('attributes', `<p ${times(180_000, (index) => `a${index.toString(36)}`, ' ')}>x</p>`),
  ...html(
    'attributes in many tags',
    times(2_000, () => `<p ${names(100)}>`),
  ),
  ...html('blockquotes', '<blockquote>'.repeat(60_000)),
  ...html('paragraphs', '<p>x'.repeat(200_000)),
  ...html('ends of tags', `${'<x>'.repeat(50)}${'</y>'.repeat(200_000)}`),
  ...html('ends of paragraphs', '</p>'.repeat(200_000)),
  ...html(
    'formatting',
    times(20_000, (index) => `<p><b a${index}>x`),
  ),
  ...html('tables', '<table><td>'.repeat(50_000)),
  ...html('text in tables', `<table>${'a<b>'.repeat(20_000)}`),
  ...html('comments', '<p><!---->'.repeat(90_000)),
  ...html('open comments', '<!--'.repeat(200_000)),
  ...html('entities', `&${'a'.repeat(100_000)}${'&amp'.repeat(50_000)}`),
  ...html('list items', '<ul><li>'.repeat(50_000)),
  ...html('stars', `<p>${'*_`['.repeat(20_000)}</p>`),
  {
    name: 'inline_css: p:empty',
    template: '{{ html|inline_css(css)|length }}',
    context: {
      html: `<p>${'<!---->'.repeat(60_000)}</p>`,
      css: 'p:empty{color:red}'.repeat(4_000),
    },
  },
  {
    name: 'inline_css: many rules',
    template: '{{ html|inline_css(css)|length }}',
    context: {
      html: '<p class="a b c"><b>'.repeat(100),
      css: '* * * ~ * b:nth-child(2n+1){color:red}'.repeat(1_000),
    },
  },
  {
    name: 'inline_css: open strings',
    template: '{{ html|inline_css(css)|length }}',
    context: { html: '<p>x', css: `${'"a\n(url('.repeat(20_000)}${'!   '.repeat(10_000)}` },
  },
  ...[markdown, markdownOfAuthor].flatMap((make) => [
    make('brackets', '['.repeat(16_000)),
    make('links', '[a]('.repeat(8_000)),
    make('images', '![['.repeat(8_000)),
    make('quotes', '>'.repeat(33_000)),
    make('quotes of lines', `${'> '.repeat(50)}a\n`.repeat(300)),
    make(
      'lists',
      times(300, (index) => `${' '.repeat((index * 2) % 300)}- a\n`),
    ),
    make('stars', '*a_b '.repeat(6_000)),
    make('many stars', '*'.repeat(33_000)),
    make('stars in pairs', '**a *b '.repeat(4_500)),
    make(
      'backticks',
      times(240, (index) => `${'`'.repeat(index)}a`),
    ),
    make('declarations', '<!A '.repeat(8_000)),
    make('instructions', '<?'.repeat(16_000)),
    make('data sections', '<![CDATA['.repeat(3_600)),
    make('open comments', '<!--a'.repeat(6_000)),
    make('open tags', '<a b="'.repeat(5_500)),
    make('automatic links', '<a:'.repeat(11_000)),
    make(
      'references',
      times(2_000, (index) => `[a${index}]: b\n`),
    ),
    make(
      'tables',
      `|a${'|a'.repeat(400)}\n${'|-'.repeat(401)}\n${'|a\n'.repeat(9_000)}`.slice(0, 33_000),
    ),
    make('blanks', `a${' '.repeat(32_000)}b`),
    make('backslashes', '\\'.repeat(33_000)),
    make('entities', '&amp;&'.repeat(5_500)),
  ]),
  markdown(
    'indented lines',
    times(150, (index) => `${' '.repeat(200)}${index}\n`),
  ),
]
