import type { WorkQueue } from '../../../kit/work-queue.ts'
import type { ContactRow } from '../../contacts/index.ts'
import { parseTokens } from '../../mime/index.ts'
import { idName, type TemplateSources } from '../../templates/index.ts'
import type { EmailTexts } from '../email-texts.ts'
import type { EmailRow } from '../table.ts'
import type { Mailbox, RenderedEmail } from './compose-email.ts'
import type { ContactData, ReadContact } from './contact-data.ts'
import { textOfHtml } from './html-text.ts'
import { type LinkValues, withMarks } from './link-tokens.ts'
import type { LinkFacts, Links, MessageLinks } from './links.ts'
import { findNamedTransport } from './named-transport.ts'
import { createTimeLimit, type Engines, type RenderContext, renderText } from './text-renderer.ts'

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

/** The texts of a smaller email are read and rendered in about a millisecond, without a turn. */
const smallLengthMax = 16 * 1024

/** Whether an email takes turns with other work. */
export function isLargeEmail(email: EmailTexts): boolean {
  return textsOf(email).reduce((sum, { length }) => sum + length, 0) > smallLengthMax
}

/** Takes a turn for the next piece of work on an email, if it is large. */
export async function takeTurn(email: EmailTexts, work: WorkQueue): Promise<void> {
  if (isLargeEmail(email)) await work.turn()
}

/** Whom an email is rendered for. */
export interface EmailRecipient {
  contact: ContactData
  to: Mailbox
  /** The values of tokens for links; undefined where there are none. */
  links?: LinkValues | undefined
}

/** Renders an email for one recipient, with its templates as they are now. A large one takes turns. Throws TwigError. */
export async function renderEmail(
  email: EmailRow,
  { contact, to, links }: EmailRecipient,
  options: EmailRendererOptions,
): Promise<RenderedEmail> {
  const { custom_html: customHtml, plain_text: plainText } = email
  const context = await openContext(email, { contact, links }, options)
  await takeTurn(email, options.work)
  const isTwig = Boolean(email.is_twig)
  const html =
    customHtml === null ? null : renderText(customHtml, context, { kind: 'html', isTwig })
  const rendered = {
    from: {
      address: email.from_address ?? options.defaultFrom,
      // Tokens stand in a name too; Twig does not.
      name: renderText(email.from_name ?? '', context, { kind: 'text', isTwig: false }),
    },
    to,
    replyTo: email.reply_to_address,
    subject: renderText(email.subject, context, { kind: 'text', isTwig }),
    html,
    headers: renderHeaders(email, context),
  }
  if (plainText !== null && plainText !== '')
    return { ...rendered, text: renderText(plainText, context, { kind: 'text', isTwig }) }
  await takeTurn(email, options.work)
  return { ...rendered, text: textOfHtml(html ?? '') }
}

/** The links of an email to a contact; undefined without a public URL. */
export function linksTo(
  { id: contactId, email }: ContactRow,
  { id: emailId, from_address: from, brand }: EmailRow & Pick<LinkFacts, 'brand'>,
  { links, defaultFrom }: EmailRendererOptions,
): MessageLinks | undefined {
  return links?.of({ address: email ?? '', from: from ?? defaultFrom, emailId, contactId, brand })
}

/** The transport that an email names for a contact; undefined where it names none. Throws TwigError. */
export async function renderNamedTransport(
  email: EmailRow,
  contact: ContactData,
  options: EmailRendererOptions,
): Promise<string | undefined> {
  return findNamedTransport(renderHeaders(email, await openContext(email, { contact }, options)))
}

/** Reads the templates that an email uses. */
async function openContext(
  email: EmailRow,
  { contact, links }: Pick<EmailRecipient, 'contact' | 'links'>,
  { engines, sources, work }: EmailRendererOptions,
): Promise<RenderContext> {
  await takeTurn(email, work)
  const { loader } = await sources.load(emailReferences(email, sources), { brand: email.brand_id })
  const variables = { email: { id: email.id, name: email.name, subject: email.subject } }
  const checkTime = createTimeLimit()
  return { engines, contact, variables, loader: withMarks(loader), links, checkTime }
}

function renderHeaders(
  { headers, is_twig: isTwig }: EmailRow,
  context: RenderContext,
): Record<string, string> {
  const how = { kind: 'text', isTwig: Boolean(isTwig) } as const
  return Object.fromEntries(
    Object.entries(readHeaders(headers)).map(([name, value]) => [
      name,
      renderText(value, context, how),
    ]),
  )
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
export function textsOf(email: EmailTexts): string[] {
  const { subject, custom_html: html, plain_text: plainText } = email
  return [subject, html ?? '', plainText ?? '', ...Object.values(readHeaders(email.headers))]
}

/** The headers of an email, by name. */
export function readHeaders(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>
}
