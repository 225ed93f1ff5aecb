import { contactFieldAliases } from '../../contacts/index.ts'
import { parseTokens, type Segment } from '../../mime/index.ts'
import { scanHtml } from './scan-html.ts'

/** A text, and how it is read. */
export interface TokenText {
  text: string
  isHtml: boolean
  /** Whether it is Twig itself, so that its braces may hold code. */
  isTwig: boolean
  /** Whether tokens for links stand for something: there is a public URL. */
  hasLinks: boolean
}

/** The fields of every contact, with or without a value. */
const knownFields = new Set<string>(['id', 'email', 'points', 'owner_id', ...contactFieldAliases])

/** Mautic's tokens, `{name}` and `{name=value}`. CSS and JSON in braces have other signs after the name. */
const anyToken = /\{[a-z][\w.-]{0,99}(?:=[^{}<>\n]{0,500})?\}/gi

/** Tokens that Mautic knows and Mailyard does not, also with encoded braces in a link. */
const mauticNames = [
  'assetlink',
  'categorylist',
  'channelfrequency',
  'companyfield',
  'contactfield',
  'dnc_url',
  'dwc',
  'dynamiccontent',
  'focus',
  'form',
  'langbar',
  'leadfield',
  'leadidentifier',
  'ownerfield',
  'pagelink',
  'pagemetadescription',
  'pagetitle',
  'preferredchannel',
  'resubscribe_url',
  'saveprefsbutton',
  'segmentlist',
  'sharebuttons',
  'signature',
  'subject',
  'successmessage',
  'trackable',
  'tracking_pixel',
  'twigtemplate',
  'unsubscribe_text',
  'unsubscribe_url',
  'webview_text',
  'webview_url',
].join('|')
const mauticToken = new RegExp(
  `(?:\\{|%7b) {0,9}(?:${mauticNames}) {0,9}(?:=[^{}<>\\n]{0,200}?)?(?:\\}|%7d)`,
  'gi',
)

/**
 * Finds the tokens of an email's text that nothing replaces, each once: tokens of Mautic that Mailyard does
 * not know, misspelt tokens, and tokens without fallback for fields that no contact has.
 */
export function findUnresolvedTokens({ text, isHtml, isTwig, hasLinks }: TokenText): string[] {
  const tokens = new Set<string>()
  const code = isTwig ? withoutTwig(text) : text
  for (const segment of parseTokens(isHtml ? withoutCode(code) : code)) {
    if (typeof segment !== 'string') addUnknown(segment, hasLinks, tokens)
    else for (const pattern of [anyToken, mauticToken]) addAll(segment, pattern, tokens)
  }
  return [...tokens]
}

/** Finds Mautic's tokens in the text that a template prints. Only those for links are replaced, where there are links. */
export function findTokensOfTemplate(source: string, hasLinks: boolean): string[] {
  const tokens = new Set<string>()
  addAll(withoutTwig(source), mauticToken, tokens)
  const isLink = (token: string) =>
    parseTokens(token).some((segment) => typeof segment !== 'string' && segment.kind === 'link')
  return [...tokens].filter((token) => !hasLinks || !isLink(token))
}

function addAll(text: string, pattern: RegExp, tokens: Set<string>): void {
  for (const [token] of text.matchAll(pattern)) tokens.add(token)
}

function addUnknown(token: Exclude<Segment, string>, hasLinks: boolean, tokens: Set<string>): void {
  if (token.kind === 'link' && !hasLinks) tokens.add(token.source)
  if (token.kind !== 'contact' || knownFields.has(token.alias) || token.fallback !== '') return
  tokens.add(`{contactfield=${token.alias}}`)
}

const twigEnds: Readonly<Record<string, string>> = { '{': '}}', '%': '%}', '#': '#}' }

/** The text around Twig's code, up to code without an end. */
function withoutTwig(text: string): string {
  const texts: string[] = []
  let from = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    const end = twigEnds[text[at + 1] ?? '']
    if (end === undefined) {
      at += 1
      continue
    }
    texts.push(text.slice(from, at))
    const endAt = text.indexOf(end, at + 2)
    if (endAt === -1) return texts.join(' ')
    from = endAt + end.length
    at = from
  }
  texts.push(text.slice(from))
  return texts.join(' ')
}

/** HTML without its style sheets and scripts, whose braces are not tokens. */
function withoutCode(html: string): string {
  const texts: string[] = []
  const keep = (_name: string, source: string) => texts.push(source)
  scanHtml(html, {
    text: (source) => texts.push(source),
    open: keep,
    close: keep,
    skip: (name, source) => texts.push(name === 'style' || name === 'script' ? ' ' : source),
  })
  return texts.join('')
}
