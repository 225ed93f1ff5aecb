import markdownIt from 'markdown-it'

const markdown = markdownIt({ html: false })

/** Shows Markdown: descriptions of the OpenAPI document, and the guide. HTML in it is shown as text. */
export function Markdown({ text, isInline = false }: { text: string; isInline?: boolean }) {
  const __html = isInline ? markdown.renderInline(text) : withoutEmptyHeads(markdown.render(text))
  const html = { dangerouslySetInnerHTML: { __html } }
  return isInline ? <span {...html} /> : <div class="prose" {...html} />
}

/** Markdown has no table without a head. */
function withoutEmptyHeads(html: string): string {
  return html
    .replace(/<thead>\s*<tr>\s*(?:<th><\/th>\s*)+<\/tr>\s*<\/thead>/g, '')
    .replaceAll('<th></th>', '<td></td>')
}
