import { contactFieldAliases } from '../../contacts/index.ts'
import { parseTokens, type Segment } from './tokens.ts'

/** What a text is, as far as it says where tokens stand. */
export interface TokenText {
  text: string
  isHtml: boolean
  /** Whether it is Twig itself; what its braces enclose is code then. */
  isTwig: boolean
}

/** The fields that every contact has, with or without a value. */
const knownFields = new Set<string>(['id', 'email', 'points', 'owner_id', ...contactFieldAliases])

/** The shape of Mautic's tokens: `{name}` and `{name=value}`. CSS and JSON in braces have other signs after the name. */
const anyToken = /\{[a-z][\w.-]{0,99}(?:=[^{}<>\n]{0,500})?\}/gi

/** What Mautic knows and Mailyard does not, also where it stands in a link with its braces encoded. */
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
 * Finds the tokens of an email's text that stand for nothing, as they are written, each once: those of
 * Mautic that Mailyard does not know, misspelt ones, and fields that no contact has and for which the
 * token gives no fallback.
 */
export function findUnresolvedTokens({ text, isHtml, isTwig }: TokenText): string[] {
  const found = new Set<string>()
  const code = isTwig ? withoutTwig(text) : text
  for (const segment of parseTokens(isHtml ? withoutCode(code) : code)) {
    if (typeof segment !== 'string') addUnknownField(segment, found)
    else for (const pattern of [anyToken, mauticToken]) addAll(segment, pattern, found)
  }
  return [...found]
}

/**
 * Finds Mautic's tokens in the text that a template prints: nothing is put in their places, not even of
 * those that an email's own text may have.
 */
export function findTokensOfTemplate(source: string): string[] {
  const found = new Set<string>()
  addAll(withoutTwig(source), mauticToken, found)
  return [...found]
}

function addAll(text: string, pattern: RegExp, found: Set<string>): void {
  for (const [token] of text.matchAll(pattern)) found.add(token)
}

function addUnknownField(token: Exclude<Segment, string>, found: Set<string>): void {
  if (token.kind !== 'contact' || knownFields.has(token.alias) || token.fallback !== '') return
  found.add(`{contactfield=${token.alias}}`)
}

const twigEnds: Readonly<Record<string, string>> = { '{': '}}', '%': '%}', '#': '#}' }

/** The text around Twig's code, and nothing of what comes after code without an end. */
function withoutTwig(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    const end = twigEnds[text[at + 1] ?? '']
    if (end === undefined) {
      at += 1
      continue
    }
    kept.push(text.slice(from, at))
    const found = text.indexOf(end, at + 2)
    if (found === -1) return kept.join(' ')
    from = found + end.length
    at = from
  }
  kept.push(text.slice(from))
  return kept.join(' ')
}

/** HTML without its style sheets and scripts, whose braces are no tokens. */
function withoutCode(html: string): string {
  const kept: string[] = []
  let from = 0
  let inside: string | undefined
  for (const match of html.matchAll(/<(style|script)(?![\w-])|<\/(style|script)(?![\w-])/gi)) {
    const [, opened, closed] = match
    const name = (opened ?? closed ?? '').toLowerCase()
    if (inside === undefined && opened !== undefined) {
      kept.push(html.slice(from, match.index))
      inside = name
    } else if (inside === name && closed !== undefined) {
      from = match.index
      inside = undefined
    }
  }
  if (inside === undefined) kept.push(html.slice(from))
  return kept.join(' ')
}
