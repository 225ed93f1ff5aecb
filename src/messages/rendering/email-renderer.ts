import type { EmailRow, EmailTexts } from '../../emails/index.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { idName, type TemplateSources } from '../../templates/index.ts'
import type { Mailbox, RenderedEmail } from './compose-email.ts'
import type { ContactData, ReadContact } from './contact-data.ts'
import { textOfHtml } from './html-text.ts'
import { type LinkValues, mentionsLink, withMarks } from './link-tokens.ts'
import type { Links } from './links.ts'
import { findNamedTransport } from './named-transport.ts'
import {
  type Engines,
  prepareText,
  type RenderContext,
  type TextRenderer,
} from './text-renderer.ts'
import { createTimeLimit } from './time-limit.ts'
import { hasTemplateToken, parseTokens } from './tokens.ts'

/** What rendering an email needs. */
export interface EmailRendererOptions {
  engines: Engines
  sources: TemplateSources
  readContact: ReadContact
  /** The sender of emails that name none. */
  defaultFrom: string
  /** Undefined without a public URL. */
  links: Links | undefined
  /** Where rendering takes turns with other expensive work. */
  work: WorkQueue
}

/** An email, prepared once and rendered for each contact, with its templates as they were when prepared. */
export interface EmailRenderer {
  /** The sender's address. */
  readonly from: string
  /** Renders the email, with the values of tokens for links. Throws TwigError. */
  render(contact: ContactData, to: Mailbox, links?: LinkValues | undefined): RenderedEmail
  /** The transport that the email names for this contact; undefined where it names none. Throws TwigError. */
  transportFor(contact: ContactData): string | undefined
}

/** The texts of a smaller email are read and rendered in about a millisecond, without a turn. */
const smallLengthMax = 16 * 1024

/** How a large email takes turns with other work; undefined for a small one. */
export function turnsFor(
  { subject, custom_html: html, plain_text: plainText, headers }: EmailTexts,
  work: WorkQueue,
): (() => Promise<void>) | undefined {
  const texts = [subject, html, plainText, headers]
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  return length > smallLengthMax ? () => work.turn() : undefined
}

/** Prepares an email, and reads the templates that it includes. A large one takes turns. */
export async function prepareEmail(
  email: EmailRow,
  options: EmailRendererOptions,
): Promise<EmailRenderer> {
  const { engines, sources } = options
  const turn = turnsFor(email, options.work)
  const isTwig = Boolean(email.is_twig)
  const prepare = (source: string, kind: 'html' | 'text') =>
    prepareText(source, { kind, isTwig, engines })
  if (turn !== undefined) await turn()
  const templates = await sources.load(emailReferences(email, sources))
  if (turn !== undefined) await turn()
  const loader = withMarks(templates.loader)
  const subject = prepare(email.subject, 'text')
  const html = email.custom_html === null ? undefined : prepare(email.custom_html, 'html')
  const headers = Object.entries(readHeaders(email.headers)).map(
    ([name, value]): [string, TextRenderer] => [name, prepare(value, 'text')],
  )
  if (turn !== undefined) await turn()
  const text = prepareTextPart(email, prepare)
  const readsLinks = [...textsOf(email), ...templates.texts()].some(mentionsLink)
  const variables = { email: { id: email.id, name: email.name, subject: email.subject } }
  const address = email.from_address ?? options.defaultFrom
  // Tokens stand in a name too; Twig does not.
  const fromName = prepareText(email.from_name ?? '', { kind: 'text', isTwig: false, engines })
  const renderHeaders = (context: RenderContext) =>
    Object.fromEntries(headers.map(([name, value]) => [name, value(context)]))
  return {
    from: address,
    transportFor: (contact) =>
      findNamedTransport(
        renderHeaders({ contact, variables, loader, checkTime: createTimeLimit() }),
      ),
    render(contact, to, links) {
      const checkTime = createTimeLimit()
      const context: RenderContext = { contact, variables, loader, links, readsLinks, checkTime }
      const rendered = html?.(context) ?? null
      return {
        from: { address, name: fromName(context) },
        to,
        replyTo: email.reply_to_address,
        subject: subject(context),
        html: rendered,
        text: text(context, rendered),
        headers: renderHeaders(context),
      }
    },
  }
}

type TextPart = (context: RenderContext, html: string | null) => string | null

/** The given text, else one made from the HTML: once, or for each contact where templates print HTML. */
function prepareTextPart(
  email: EmailRow,
  prepare: (source: string, kind: 'html' | 'text') => TextRenderer,
): TextPart {
  const { plain_text: plainText, custom_html: html } = email
  if (plainText !== null && plainText !== '') return prepare(plainText, 'text')
  if (html === null) return () => ''
  const isSameForAll = !email.is_twig && !hasTemplateToken(parseTokens(html))
  if (isSameForAll) return prepare(textOfHtml(html), 'text')
  return (_context, rendered) => (rendered === null ? null : textOfHtml(rendered))
}

/** The templates that an email names: in its tokens and, where it is Twig itself, in its code. */
export function emailReferences(
  email: EmailTexts,
  sources: Pick<TemplateSources, 'referencesOf'>,
): { names: readonly string[] }[] {
  const tokens = templateTokensOf(email).map((id) => ({ names: [idName(id)] }))
  const references = email.is_twig
    ? textsOf(email).flatMap((text) => sources.referencesOf(text))
    : []
  return [...tokens, ...references]
}

/** The ids of the templates that the tokens of an email name. */
export function templateTokensOf(email: EmailTexts): number[] {
  const segments = [...textsOf(email), email.from_name ?? ''].flatMap((text) => parseTokens(text))
  return segments.flatMap((segment) => {
    const isTemplate = typeof segment !== 'string' && segment.kind === 'template'
    return isTemplate && segment.id !== undefined ? [segment.id] : []
  })
}

/** The texts of an email that may be Twig. */
export function textsOf({
  subject,
  custom_html: html,
  plain_text: plainText,
  headers,
}: EmailTexts): string[] {
  return [subject, html ?? '', plainText ?? '', ...Object.values(readHeaders(headers))]
}

/** The headers of an email, by name. */
export function readHeaders(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>
}
