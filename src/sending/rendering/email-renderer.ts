import type { EmailRow, EmailTexts } from '../../emails/index.ts'
import type { TemplateSources } from '../../templates/index.ts'
import type { Mailbox, RenderedEmail } from './compose-email.ts'
import type { ContactData } from './contact-data.ts'
import { textOfHtml } from './html-text.ts'
import { findNamedTransport } from './named-transport.ts'
import {
  type Engines,
  prepareText,
  type RenderContext,
  type TextRenderer,
} from './text-renderer.ts'
import { hasTemplateToken, parseTokens } from './tokens.ts'

/** What renders emails. */
export interface EmailRendererOptions {
  engines: Engines
  sources: TemplateSources
  /** The sender of emails that name none. */
  defaultFrom: string
}

/** An email, prepared once, rendered for each contact as it and its templates were then. */
export interface EmailRenderer {
  /** Throws TwigError. */
  render(contact: ContactData, to: Mailbox): RenderedEmail
  /** The transport that the email names for this contact; undefined where it names none. Throws TwigError. */
  transportFor(contact: ContactData): string | undefined
}

/** Prepares an email; reads the templates that it comes to. */
export async function prepareEmail(
  email: EmailRow,
  options: EmailRendererOptions,
): Promise<EmailRenderer> {
  const { engines } = options
  const isTwig = Boolean(email.is_twig)
  const prepare = (source: string, kind: 'html' | 'text') =>
    prepareText(source, { kind, isTwig, engines })
  const { sources } = options
  const { loader } = await sources.load(emailReferences(email, sources))
  const subject = prepare(email.subject, 'text')
  const html = email.custom_html === null ? undefined : prepare(email.custom_html, 'html')
  const headers = Object.entries(readHeaders(email.headers)).map(
    ([name, value]): [string, TextRenderer] => [name, prepare(value, 'text')],
  )
  const text = prepareTextPart(email, prepare)
  const variables = { email: { id: email.id, name: email.name, subject: email.subject } }
  const address = email.from_address ?? options.defaultFrom
  // Tokens stand in a name too; Twig does not.
  const fromName = prepareText(email.from_name ?? '', { kind: 'text', isTwig: false, engines })
  const renderHeaders = (context: RenderContext) =>
    Object.fromEntries(headers.map(([name, value]) => [name, value(context)]))
  return {
    transportFor: (contact) => findNamedTransport(renderHeaders({ contact, variables, loader })),
    render(contact, to) {
      const context: RenderContext = { contact, variables, loader }
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

/** The text as it is given; else made from the HTML: once where it can be, for each contact where it must. */
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

/** What an email refers to: by its tokens, and, where it is Twig itself, as a template does. */
export function emailReferences(
  email: EmailTexts,
  sources: Pick<TemplateSources, 'referencesOf'>,
): { names: readonly string[] }[] {
  const { subject, custom_html: html, plain_text: plainText, headers } = email
  const texts = [subject, html ?? '', plainText ?? '', ...Object.values(readHeaders(headers))]
  const tokens = [...texts, email.from_name ?? ''].flatMap(parseTokens).flatMap((segment) => {
    const isTemplate = typeof segment !== 'string' && segment.kind === 'template'
    return isTemplate && segment.id !== undefined ? [{ names: [`id:${segment.id}`] }] : []
  })
  const references = email.is_twig ? texts.flatMap((text) => sources.referencesOf(text)) : []
  return [...tokens, ...references]
}

/** The headers of an email, by name. */
export function readHeaders(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>
}
