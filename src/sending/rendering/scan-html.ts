/** Told of what is in an HTML document, in order. Names are in small letters. */
export interface HtmlListener {
  /** Text as it is written, entities and all. */
  text(source: string): void
  /** `tag` is the tag as it is written, for its attributes. */
  open(name: string, tag: string): void
  close(name: string): void
}

/** What holds no markup: all up to its end tag is skipped. */
const rawElements = new Set(['head', 'script', 'style', 'template', 'title'])
const name = /[a-z][^\s/>]*/iy
const slash = 0x2f
const space = 0x20
const greater = 0x3e
const equals = 0x3d
const doubleQuote = 0x22
const singleQuote = 0x27
const exclamation = 0x21
const question = 0x3f

/**
 * Goes through HTML as mail programs read it, in one pass: tags, text, nothing of comments, scripts and styles.
 * Whatever is malformed is taken for something; it never throws.
 */
export function scanHtml(html: string, listener: HtmlListener): void {
  const findTagEnd = createTagEndSearch(html)
  let at = 0
  while (at < html.length) {
    const start = html.indexOf('<', at)
    if (start !== at) listener.text(html.slice(at, start === -1 ? html.length : start))
    if (start === -1) return
    const next = html.charCodeAt(start + 1)
    if (next === exclamation || next === question) {
      at = endOfRemark(html, start)
      continue
    }
    const isEnd = next === slash
    name.lastIndex = start + (isEnd ? 2 : 1)
    const tagName = name.exec(html)?.[0].toLowerCase()
    if (tagName === undefined) {
      listener.text('<')
      at = start + 1
      continue
    }
    at = findTagEnd(name.lastIndex)
    if (isEnd) listener.close(tagName)
    else if (rawElements.has(tagName)) at = endOfRaw(html, tagName, at)
    else listener.open(tagName, html.slice(start, at))
  }
}

function endOfRemark(html: string, start: number): number {
  const mark = html.startsWith('<!--', start) ? '-->' : '>'
  const end = html.indexOf(mark, start)
  return end === -1 ? html.length : end + mark.length
}

function endOfRaw(html: string, tagName: string, from: number): number {
  const endTag = new RegExp(`</${tagName}(?![^\\s/>])`, 'gi')
  endTag.lastIndex = from
  const match = endTag.exec(html)
  return match === null ? html.length : match.index
}

/** Finds where a tag ends, past the values that are quoted: a quotation mark after an equals sign begins one. */
function createTagEndSearch(html: string): (from: number) => number {
  const isUnclosed = new Set<string>()
  return (from) => {
    let isValue = false
    for (let at = from; at < html.length; at += 1) {
      const code = html.charCodeAt(at)
      if (code === greater) return at + 1
      if (code <= space) continue
      if (isValue && (code === doubleQuote || code === singleQuote)) {
        const mark = html.charAt(at)
        const end = isUnclosed.has(mark) ? -1 : html.indexOf(mark, at + 1)
        if (end === -1) isUnclosed.add(mark)
        else at = end
      }
      isValue = code === equals
    }
    return html.length
  }
}
