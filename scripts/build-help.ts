import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import markdownIt, { type Token } from 'markdown-it'
import { words } from '../web/words/common.ts'
import { anchorOf } from './read-page.ts'

/**
 * Writes the README and the pages of `docs/` for the screen *Help* into `web/dist/assets/`: `docs-NAME.html` with the text of a page,
 * `docs-pages.json` with the titles and headings of all, `docs-words.json` with the words below each heading, and the pictures.
 * Beside each text is its gzip.
 */
const root = join(import.meta.dirname, '..')
const assets = join(root, 'web/dist/assets')

/** The reference pages of each group of the menu, in their order. One that no group names is in the last group. */
const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Send', ['transports', 'mailer', 'limits', 'brands', 'dkim', 'twig']],
  ['Connect', ['mautic', 'smtp', 'api', 'webhooks', 'inbox']],
  ['Watch', ['delivery', 'queue', 'events', 'suppressions', 'metrics']],
  ['Run', ['production', 'configuration', 'operations', 'scaling', 'performance']],
  ['Look up', ['README', 'console', 'glossary']],
]
const tasks = 'Tasks'
/** It is for those who change Mailyard. */
const leftOut = 'docs/architecture.md'

const screens: ReadonlySet<string> = new Set(Object.values(words.places))

/** A page of the help, and its headings. The first one is its title, without an anchor. */
interface HelpPage {
  name: string
  group: string
  headings: { anchor: string; title: string }[]
}

const markdown = markdownIt({ html: false })
const { rules } = markdown.renderer
rules['heading_open'] = (tokens, index) => {
  const anchor = anchorOf(tokens[index + 1]?.content ?? '')
  return `<${tokens[index]?.tag} id="${anchor}"><a href="#${anchor}">`
}
rules['heading_close'] = (tokens, index) => `</a></${tokens[index]?.tag}>`
rules['table_open'] = () =>
  '<div class="prose-table" role="group" aria-label="Table" tabindex="0"><table>'
rules['table_close'] = () => '</table></div>'
const nameOf = (file: string) => basename(file, '.md')
const files = globSync('{README,docs/{*,tasks/*}}.md', { cwd: root }).filter(
  (file) => file !== leftOut,
)
const order = [tasks, ...groups.flatMap(([title, names]) => [...names, title])]
const pages = files.map(writePage).sort((one, other) => rankOf(one.page) - rankOf(other.page))
write('docs-pages.json', JSON.stringify(pages.map(({ page }) => page)))
write('docs-words.json', JSON.stringify(pages.map(({ words }) => words)))

/** Tasks are in the order of their names. */
function rankOf({ name, group }: HelpPage): number {
  return order.indexOf(order.includes(name) ? name : group)
}

function write(name: string, text: string): void {
  writeFileSync(join(assets, name), text)
  writeFileSync(join(assets, `${name}.gz`), gzipSync(text, { level: 9 }))
}

function writePage(file: string): { page: HelpPage; words: string[] } {
  const tokens = markdown.parse(readFileSync(join(root, file), 'utf8'), {})
  const isTask = file.startsWith('docs/tasks/')
  markTerminal(tokens, isTask)
  for (const { children } of tokens) changeLinks(children ?? [], file)
  // The screen has the title.
  const html = markdown.renderer.render(tokens.slice(3), markdown.options, {})
  write(`docs-${nameOf(file)}.html`, html.replaceAll('<th></th>', '<td></td>'))
  const [group] = groups.find(([, names]) => names.includes(nameOf(file))) ?? ['Look up']
  const sections = readSections(tokens)
  return {
    page: {
      name: nameOf(file),
      group: isTask ? tasks : group,
      headings: sections.map(({ anchor, title }) => ({ anchor, title })),
    },
    words: sections.map(({ words }) => words),
  }
}

function readSections(tokens: readonly Token[]) {
  const starts = tokens.flatMap(({ type }, index) => (type === 'heading_open' ? [index] : []))
  return starts.map((start, index) => {
    const { content = '', children } = tokens[start + 1] ?? {}
    const texts = tokens.slice(start + 2, starts[index + 1]).filter(({ type }) => type === 'inline')
    const text = texts.map((each) => each.content.toLowerCase()).join(' ')
    return {
      anchor: index === 0 ? '' : anchorOf(content),
      title: (children ?? []).map((child) => child.content).join(''),
      words: [...new Set(text.match(/[\p{L}\p{N}_]{3,}/gu))].join(' '),
    }
  })
}

/**
 * Marks what is for a terminal, in each part of a page that also has steps in the console: commands, their answers, and
 * the sentence about them. Steps in the console name what it shows in italics; other pages than tasks name its screens.
 */
function markTerminal(tokens: readonly Token[], isTask: boolean): void {
  const starts = tokens.flatMap(({ type, tag }, index) =>
    type === 'heading_open' && tag !== 'h3' ? [index] : [],
  )
  for (const [index, start] of starts.entries()) {
    const part = tokens.slice(start, starts[index + 1])
    const names = part.flatMap(({ children }) => namesIn(children ?? []))
    if (!names.some((name) => isTask || screens.has(name))) continue
    for (const [at, token] of part.entries()) {
      const isBlock = token.info === 'sh' || (token.type === 'fence' && isTerminal(part[at - 1]))
      const isSentence = part[at + 1]?.content.startsWith('The commands use ')
      if (isBlock || isSentence) token.attrSet('class', 'terminal')
    }
  }
}

/** The texts in italics. */
function namesIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ content }, index) =>
    tokens[index - 1]?.type === 'em_open' ? [content] : [],
  )
}

function isTerminal(token: Token | undefined): boolean {
  return token?.attrGet('class') === 'terminal'
}

/** Leads links to pages of the help, and pictures to their copies. A link to another file of the checkout becomes its text. */
function changeLinks(tokens: readonly Token[], file: string): void {
  let tag = 'a'
  for (const [index, token] of tokens.entries()) {
    const target = String(token.attrGet(token.type === 'image' ? 'src' : 'href') ?? '')
    const [path = '', anchor] = join(dirname(file), target).split('#')
    if (token.type === 'image') {
      copyFileSync(join(root, path), join(assets, `docs-${basename(path)}`))
      token.attrSet('src', `/assets/docs-${basename(path)}`)
      token.attrSet('loading', 'lazy')
    } else if (token.type === 'link_close') token.tag = tag
    else if (token.type === 'link_open') {
      tag = 'a'
      if (target.startsWith('#')) continue
      if (/^[a-z]+:/.test(target)) token.attrSet('target', '_blank')
      else if (files.includes(path)) {
        token.attrSet('href', `/help/${nameOf(path)}${anchor === undefined ? '' : `#${anchor}`}`)
        const text = tokens[index + 1]
        if (text?.content === basename(path)) text.content = titleOf(path)
      } else {
        tag = 'span'
        token.tag = tag
        token.attrs = null
      }
    }
  }
}

function titleOf(file: string): string {
  return /^# (.+)/.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? nameOf(file)
}
