import type { Strategy } from '../syntax/statement.ts'

/** The strategy that fits a template's name: `mail.html.twig` is HTML, `mail.txt.twig` needs none. */
export function strategyByName(name: string | undefined): Strategy {
  if (name === undefined || name.endsWith('/')) return 'html'
  const bare = name.endsWith('.twig') ? name.slice(0, -5) : name
  const extension = /\.([^./]+)$/.exec(bare)?.[1]
  if (extension === 'js' || extension === 'json') return 'js'
  if (extension === 'css') return 'css'
  return extension === 'txt' ? false : 'html'
}
