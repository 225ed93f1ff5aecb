/** Tags that have no end. */
const voidTags = new Set([
  ...[
    'area',
    'base',
    'br',
    'col',
    'embed',
    'hr',
    'img',
    'input',
    'link',
    'meta',
    'param',
    'source',
  ],
  ...['track', 'wbr'],
])

const tag = /<(\/?)([a-zA-Z][^\s/>]{0,30})[^>]{0,2000}>?/g

/** How many tags a text has, and how many are open at once at most. Tags that are never closed stay open. */
export function measureHtml(html: string): { tags: number; depth: number } {
  let tags = 0
  let open = 0
  let depth = 0
  for (const [, slash, name = ''] of html.matchAll(tag)) {
    tags++
    if (slash === '/') open = Math.max(0, open - 1)
    else if (!voidTags.has(name.toLowerCase())) depth = Math.max(depth, ++open)
  }
  return { tags, depth }
}
