/** Receives the parts of an HTML document, in order. Names are in lower case; sources are as written. */
export interface HtmlListener {
  /** Text, with its entities. */
  text(source: string): void
  open(name: string, source: string): void
  close(name: string, source: string): void
  /** A comment, whose name is `!`, or a script, style, template or title up to its end tag. */
  skip?(name: string, source: string): void
}

/** Elements that hold no markup, or none that is shown. */
const rawElements = new Set(['script', 'style', 'template', 'title'])
const name = /[a-z][^\s/>]*/iy
const slash = 0x2f
const space = 0x20
const greater = 0x3e
const equals = 0x3d
const doubleQuote = 0x22
const singleQuote = 0x27
const exclamation = 0x21
const question = 0x3f

/** Scans HTML in one pass, as mail programs read it. Malformed HTML is read somehow; it never throws. */
export function scanHtml(html: string, listener: HtmlListener): void {
  const findTagEnd = createTagEndSearch(html)
  let textStart = 0
  let start = html.indexOf('<')
  while (start !== -1) {
    const next = html.charCodeAt(start + 1)
    const isRemark = next === exclamation || next === question
    const nameStart = start + (next === slash ? 2 : 1)
    if (!isRemark && !isLetter(html.charCodeAt(nameStart))) {
      start = html.indexOf('<', start + 1)
      continue
    }
    if (start > textStart) listener.text(html.slice(textStart, start))
    if (isRemark) {
      textStart = endOfRemark(html, start)
      listener.skip?.('!', html.slice(start, textStart))
    } else {
      name.lastIndex = nameStart
      const tagName = (name.exec(html)?.[0] ?? '').toLowerCase()
      textStart = findTagEnd(name.lastIndex)
      if (next === slash) listener.close(tagName, html.slice(start, textStart))
      else if (rawElements.has(tagName)) {
        textStart = endOfRaw(html, tagName, textStart)
        listener.skip?.(tagName, html.slice(start, textStart))
      } else listener.open(tagName, html.slice(start, textStart))
    }
    start = html.indexOf('<', textStart)
  }
  if (textStart < html.length) listener.text(html.slice(textStart))
}

function isLetter(code: number): boolean {
  const small = code | 0x20
  return small >= 0x61 && small <= 0x7a
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

/** Finds where a tag ends, after its quoted values: a quotation mark after an equals sign begins one. */
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
