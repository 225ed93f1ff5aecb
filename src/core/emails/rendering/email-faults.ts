import { AppError } from '../../../kit/app-error.ts'
import { isLinkToken } from '../../mime/index.ts'
import { idName, type StoredTemplates } from '../../templates/index.ts'
import type { EmailTexts } from '../email-texts.ts'
import type { EmailItem } from '../schema.ts'
import type { EmailRow } from '../table.ts'
import {
  type EmailRendererOptions,
  emailReferences,
  readHeaders,
  takeTurn,
  templateTokensOf,
  textsOf,
} from './email-renderer.ts'
import { linkTokensOf, mentionsLink } from './link-tokens.ts'
import { findTokensOfTemplate, findUnresolvedTokens } from './unresolved-tokens.ts'

/** What prevents an email from being sent. */
export interface EmailFaults {
  /** Whether it has neither HTML nor text. */
  isEmpty: boolean
  /** Unknown tokens in the subject and the bodies. A request to send may give their values. */
  tokens: readonly string[]
  /** Unknown tokens in headers and in the sender's name, which get no values. */
  fixedTokens: readonly string[]
  /** Whether tokens for links stand for something: there is a public URL. */
  hasLinks: boolean
}

/** Finds the faults of the email itself, without its templates. */
function findTextFaults(email: EmailTexts, hasLinks: boolean): EmailFaults {
  const { subject, custom_html: html, plain_text: text } = email
  const isTwig = Boolean(email.is_twig)
  const find = (source: string | null, isHtml = false) =>
    source === null ? [] : findUnresolvedTokens({ text: source, isHtml, isTwig, hasLinks })
  const name = email.from_name ?? ''
  return {
    hasLinks,
    isEmpty: isBlank(html) && isBlank(text),
    tokens: [...new Set([...find(subject), ...find(html, true), ...find(text)])],
    fixedTokens: [
      ...Object.values(readHeaders(email.headers)).flatMap((value) => find(value)),
      ...findUnresolvedTokens({ text: name, isHtml: false, isTwig: false, hasLinks }),
    ],
  }
}

/** Finds the faults of an email and of the templates that it includes. */
export async function findEmailFaults(
  email: EmailRow,
  { sources, links, work }: Pick<EmailRendererOptions, 'sources' | 'links' | 'work'>,
): Promise<EmailFaults> {
  await takeTurn(email, work)
  const faults = findTextFaults(email, links !== undefined)
  const tokens = new Set(faults.tokens)
  await takeTurn(email, work)
  const first = emailReferences(email, sources)
  const { loader } = await sources.load(first)
  // Without links, a variable for one stands for nothing, and a token in a string of the code too.
  const addLinks = (source: string) => {
    if (!mentionsLink(source)) return
    const names = [...sources.variablesOf(source).filter(isLinkToken), ...linkTokensOf(source)]
    for (const name of names) tokens.add(`{${name}}`)
  }
  if (email.is_twig && !faults.hasLinks) textsOf(email).forEach(addLinks)
  const seen = new Set<string>()
  const waiting = first.flatMap(({ names }) => names)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const source = seen.has(name) ? undefined : loader.get(name)
    seen.add(name)
    if (source === undefined) continue
    await work.turn()
    for (const token of findTokensOfTemplate(source, faults.hasLinks)) tokens.add(token)
    if (!faults.hasLinks) addLinks(source)
    waiting.push(...sources.referencesOf(source).flatMap(({ names }) => names))
  }
  return { ...faults, tokens: [...tokens] }
}

const namesMax = 10
const nameLengthMax = 60

/** Why an email cannot be sent with these values for its tokens; undefined where it can. */
export function refusalOf(
  { id }: Pick<EmailRow, 'id'>,
  { isEmpty, tokens, fixedTokens, hasLinks }: EmailFaults,
  values: Readonly<Record<string, string>> = {},
): AppError | undefined {
  if (isEmpty) return emptyEmail(id)
  const known = new Set(Object.keys(values).map(bareToken))
  const left = tokens.filter((token) => !known.has(bareToken(token)))
  const unresolved = [...new Set([...left, ...fixedTokens])]
  if (unresolved.length === 0) return undefined
  const message = `${nameOf(id)} has tokens that stand for nothing: ${listTokens(unresolved)}. Remove them from the email, or send it to one contact with their values in "tokens".${adviceFor(unresolved, hasLinks)}`
  return new AppError('invalid', 'email_tokens_unresolved', message)
}

/** An email that is not saved has no id. */
function nameOf(id: number): string {
  return id === 0 ? 'The email' : `Email ${id}`
}

/** The refusal of an email without HTML and text. */
export function emptyEmail(id: number): AppError {
  const message = `${nameOf(id)} has no HTML and no text: give it at least one of them.`
  return new AppError('invalid', 'email_empty', message)
}

/** The warnings for a saved email. */
export function warnOfEmail(email: EmailItem, hasLinks: boolean): string[] {
  const text = {
    subject: email.subject,
    custom_html: email.customHtml,
    plain_text: email.plainText,
    headers: JSON.stringify(email.headers),
    from_name: email.fromName,
    is_twig: email.isTwig,
  }
  const { isEmpty, tokens, fixedTokens } = findTextFaults(text, hasLinks)
  const empty = 'The email has no HTML and no text; it cannot be sent.'
  const all = [...new Set([...tokens, ...fixedTokens])]
  const unresolved = `The email has tokens that stand for nothing: ${listTokens(all)}. It cannot be sent unless "tokens" gives their values.${adviceFor(all, hasLinks)}`
  return [...(isEmpty ? [empty] : []), ...(all.length > 0 ? [unresolved] : [])]
}

/** Says which tokens of an email print nothing, because there is no such template, or it is not published. */
export async function warnOfTemplates(
  email: EmailRow,
  sources: Pick<StoredTemplates, 'loadNamed'>,
): Promise<string[]> {
  const ids = [...new Set(templateTokensOf(email))]
  if (ids.length === 0) return []
  const references = ids.map((id) => ({ names: [idName(id)] }))
  // With those that are not published, too.
  const found = await sources.loadNamed(references, { pending: [] })
  const warnings = ids.flatMap((id) => {
    const problem = found.problemOf(idName(id))
    if (problem === undefined) return []
    const reason = problem === 'missing' ? 'does not exist' : 'is not published'
    return `Template ${id} ${reason}: {twigtemplate=${id}} prints nothing.`
  })
  const more = warnings.length - namesMax
  if (more <= 0) return warnings
  return [...warnings.slice(0, namesMax), `${more} more tokens of templates print nothing.`]
}

/** Tokens for links need a public URL. Where there is one, those that stand for nothing are misspelt. */
function adviceFor(tokens: readonly string[], hasLinks: boolean): string {
  const name = tokens.map((token) => bareToken(token).trim()).find(isLinkToken)
  if (name === undefined) return ''
  return hasLinks
    ? ` Write {${name}}, without blanks.`
    : ' Links to Mailyard need MAILYARD_PUBLIC_URL.'
}

function listTokens(tokens: readonly string[]): string {
  const shown = tokens.slice(0, namesMax).map((token) => token.slice(0, nameLengthMax))
  return `${shown.join(', ')}${tokens.length > namesMax ? ', …' : ''}`
}

/** A token's name, without its braces, in small letters. */
function bareToken(token: string): string {
  return token
    .replace(/^(\{|%7b)/i, '')
    .replace(/(\}|%7d)$/i, '')
    .toLowerCase()
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === ''
}
