import type { MessageLinks } from '../links/links.ts'
import { escapeHtml, type RenderContext } from './text-renderer.ts'

/** As Mautic writes it; the words in brackets are the link. */
const unsubscribeText = ['Unsubscribe', ' to no longer receive emails from us.'] as const

/**
 * Returns the values of `{unsubscribe_url}`, `{unsubscribe_text}` and `{webview_url}` for one message. Tokens whose value the
 * caller gives (`given`, names with or without braces) are left for that value.
 */
export function linkValues(
  links: MessageLinks | undefined,
  given: readonly string[] = [],
): RenderContext['linkOf'] {
  if (links === undefined) return undefined
  const isGiven = new Set(given.map((name) => name.replace(/^\{|\}$/g, '')))
  return (name, kind) => {
    if (isGiven.has(name)) return undefined
    const url = name === 'webview_url' ? links.webview() : links.unsubscribe()
    const shown = kind === 'html' ? escapeHtml(url) : url
    if (name !== 'unsubscribe_text') return shown
    const [word, rest] = unsubscribeText
    return kind === 'html' ? `<a href="${shown}">${word}</a>${rest}` : `${word}${rest} ${shown}`
  }
}
