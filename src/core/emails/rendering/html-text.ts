import { decodeHTML } from 'entities'
import { scanHtml } from './scan-html.ts'
import { TextWriter } from './text-writer.ts'

/**
 * Converts an HTML body to plain text: paragraphs and lists as such, links in brackets, images by their
 * description, without hidden elements. Emails use tables for layout, so a row is a line.
 */
export function textOfHtml(html: string): string {
  const text = new HtmlText()
  scanHtml(html, text)
  return text.finish()
}

const paragraphs = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure form'.split(' '),
)
const lines = new Set(
  'div tr li dt dd section article header footer main aside nav address center caption figcaption fieldset body html'.split(
    ' ',
  ),
)
const voidElements = new Set('area base br col embed hr img input link meta source wbr'.split(' '))
/**
 * White space, and the invisible characters that newsletters put after their preview. Single blanks between
 * words are most of the white space, and do not match.
 */
const gap =
  /(?: (?=[\s\u00ad\u200b-\u200f\u2060\ufeff]|\u034f)|[^\S ]|[\u00ad\u200b-\u200f\u2060\ufeff]|\u034f)(?:[\s\u00ad\u200b-\u200f\u2060\ufeff]|\u034f)*/g
const hidden = /\bdisplay\s{0,9}:\s{0,9}none\b|\shidden(?=[\s=>/])/i

function isHidden(name: string, tag: string): boolean {
  if (name === 'head') return true
  return tag.length > name.length + 6 && hidden.test(tag) && !voidElements.has(name)
}

const attribute = (name: string) =>
  new RegExp(`[\\s"'/]${name}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
const href = attribute('href')
const alt = attribute('alt')

function readAttribute(tag: string, pattern: RegExp): string {
  const match = pattern.exec(tag)
  return match === null ? '' : decodeHTML(match[1] ?? match[2] ?? match[3] ?? '').trim()
}

interface Link {
  href: string
  words: string
}

interface List {
  /** The number of the next item; undefined in an unordered list. */
  next: number | undefined
}

class HtmlText {
  readonly #writer = new TextWriter()
  readonly #lists: List[] = []
  #link: Link | undefined
  #verbatim = 0
  #hidden: { name: string; depth: number } | undefined

  text(source: string): void {
    if (this.#hidden !== undefined) return
    const text = source.includes('&') ? decodeHTML(source) : source
    if (this.#verbatim > 0) this.#writeLines(text)
    else this.#writeWords(text)
  }

  open(name: string, tag: string): void {
    if (this.#hidden !== undefined) {
      // There is one head; the end tag of the first ends it.
      if (name === this.#hidden.name && name !== 'head') this.#hidden.depth += 1
      return
    }
    if (isHidden(name, tag)) {
      this.#hidden = { name, depth: 1 }
      return
    }
    if (paragraphs.has(name)) this.#writer.breakLines(this.#lists.length > 0 ? 1 : 2)
    else if (lines.has(name)) this.#writer.breakLines(1)
    this.#begin(name, tag)
  }

  close(name: string): void {
    if (this.#hidden !== undefined) {
      if (name === this.#hidden.name) this.#hidden.depth -= 1
      if (this.#hidden.depth === 0) this.#hidden = undefined
      return
    }
    this.#end(name)
    if (paragraphs.has(name)) this.#writer.breakLines(this.#lists.length > 0 ? 1 : 2)
    else if (lines.has(name)) this.#writer.breakLines(1)
  }

  finish(): string {
    this.#endLink()
    return this.#writer.finish()
  }

  #begin(name: string, tag: string): void {
    switch (name) {
      case 'br':
        this.#writer.addLineBreak()
        break
      case 'hr':
        this.#writer.breakLines(2)
        this.#writer.write('-'.repeat(40))
        this.#writer.breakLines(2)
        break
      case 'td':
      case 'th':
        this.#writer.addSpace()
        break
      case 'a':
        this.#endLink()
        this.#link = { href: readAttribute(tag, href), words: '' }
        break
      case 'img':
        this.#writeWords(readAttribute(tag, alt))
        break
      case 'ul':
      case 'ol':
        this.#lists.push({ next: name === 'ol' ? 1 : undefined })
        break
      case 'li':
        this.#beginItem()
        break
      case 'blockquote':
        this.#writer.quote()
        break
      case 'pre':
        this.#verbatim += 1
    }
  }

  #end(name: string): void {
    switch (name) {
      case 'a':
        this.#endLink()
        break
      case 'ul':
      case 'ol':
        this.#lists.pop()
        break
      case 'blockquote':
        this.#writer.unquote()
        break
      case 'pre':
        this.#verbatim = Math.max(0, this.#verbatim - 1)
    }
  }

  #beginItem(): void {
    const list = this.#lists.at(-1)
    const margin = '  '.repeat(Math.min(10, Math.max(0, this.#lists.length - 1)))
    const mark = list?.next === undefined ? '-' : `${list.next++}.`
    this.#writer.write(`${margin}${mark}`)
    this.#writer.addSpace()
  }

  #writeWords(text: string): void {
    const words = text.replace(gap, (run) => (/\s/.test(run) ? ' ' : run))
    const isSpaced = words.endsWith(' ')
    if (words.startsWith(' ')) this.#writer.addSpace()
    this.#write(words.trim())
    if (isSpaced) this.#writer.addSpace()
  }

  #writeLines(text: string): void {
    const [first = '', ...others] = text.split(/\r?\n/)
    this.#write(first.trimEnd())
    for (const line of others) {
      this.#writer.addLineBreak()
      this.#write(line.trimEnd())
    }
  }

  #write(words: string): void {
    this.#writer.write(words)
    if (this.#link !== undefined) this.#link.words += words
  }

  /** Writes the address of the link, unless its words are the address or it is an anchor on the page. */
  #endLink(): void {
    if (this.#link === undefined) return
    const { href: target, words } = this.#link
    this.#link = undefined
    if (target === '' || target.startsWith('#') || /^javascript:/i.test(target)) return
    if (target === words || target.replace(/^mailto:/i, '') === words) return
    if (words !== '') this.#writer.addSpace()
    this.#writer.write(`[${target}]`)
  }
}
