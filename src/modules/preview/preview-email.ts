import type { CheckSender } from '../../core/brands/index.ts'
import {
  type ContactData,
  checkTemplatePermission,
  contactMailbox,
  type EmailRendererOptions,
  type EmailRow,
  type Emails,
  findEmailFaults,
  findNamedTransport,
  isEmpty,
  linkValues,
  type RenderedEmail,
  refusalOf,
  renderEmail,
  renderedEmpty,
  warnOfTemplates,
} from '../../core/emails/index.ts'
import type { ResolveRoute, Route } from '../../core/routing/index.ts'
import { type ExtraTokens, replaceExtraTokens } from '../../core/sending/index.ts'
import type { StoredTemplates } from '../../core/templates/index.ts'
import type { Caller } from '../../kit/caller.ts'
import { TwigError } from '../../libraries/twig/index.ts'
import { brandOfAsked } from './routing/visible-route.ts'

/** An email, saved or not, and whom it is rendered for. */
export interface PreviewRequest {
  /** A new email has the id 0. */
  email: EmailRow
  contact: ContactData
  /** The contact whose owner counts for the route; undefined for example data. */
  contactId: number | undefined
  tokens: ExtraTokens
  caller: Caller
}

/** Why an email cannot be rendered, and where. */
export interface RenderFault {
  message: string
  /** The name of the template; null in the email itself. */
  template: string | null
  line: number
  column: number
}

/** What a contact would get. */
export interface EmailPreview {
  /** Undefined if the email cannot be rendered. */
  rendered: RenderedEmail | undefined
  error: RenderFault | null
  /** What keeps the email from being sent as it is, as sentences. */
  obstacles: string[]
  /** The obstacles, and what is sent as nothing. */
  warnings: string[]
  route: Route
}

/** Renders an email as a send does, and sends nothing. Throws an AppError (`forbidden`). */
export type PreviewEmail = (request: PreviewRequest) => Promise<EmailPreview>

export interface PreviewEmailOptions {
  emails: Pick<Emails, 'usesTemplates'>
  resolveRoute: ResolveRoute
  rendering: EmailRendererOptions
  sources: Pick<StoredTemplates, 'loadNamed'>
  /** See `SendingBrands`. */
  checkSender: CheckSender
}

export function createPreviewEmail(options: PreviewEmailOptions): PreviewEmail {
  const { emails, resolveRoute, rendering, sources, checkSender } = options
  return async ({ email, contact, contactId, tokens, caller }) => {
    checkTemplatePermission(caller, email, emails.usesTemplates)
    await rendering.work.turn()
    const refusal = refusalOf(email, await findEmailFaults(email, rendering), tokens)
    const links = linkValues(rendering.links?.ofPreview, tokens)
    const recipient = { contact, to: contactMailbox(contact), links }
    const result = await renderEmail(email, recipient, rendering).catch(readFault)
    const rendered = 'fault' in result ? undefined : replaceExtraTokens(result, tokens)
    const emailId = email.id === 0 ? undefined : email.id
    const transport = rendered && findNamedTransport(rendered.headers)
    const senders = rendered === undefined ? [] : [rendered.from.address]
    const sent = await checkSender(caller.brands, { senders })
    const ofSender = 'problem' in sent ? null : sent.brand
    const brand = ofSender ?? brandOfAsked(caller, email)
    const obstacles = [
      ...(refusal === undefined ? [] : [refusal.message]),
      ...(refusal === undefined && rendered !== undefined && isEmpty(rendered)
        ? [renderedEmpty]
        : []),
      ...(contactMailbox(contact).address === '' ? ['The contact has no email address.'] : []),
    ]
    return {
      rendered,
      error: 'fault' in result ? result.fault : null,
      obstacles,
      warnings: [...obstacles, ...(await warnOfTemplates(email, sources))],
      route: await resolveRoute({ transport, emailId, contactId, brand, caller }),
    }
  }
}

/** The fault of an error while an email was rendered; other errors are thrown. */
function readFault(error: unknown): { fault: RenderFault } {
  if (!(error instanceof TwigError)) throw error
  const { rawMessage, templateName, line = 1, column = 1 } = error
  const template = templateName === 'email' ? null : (templateName ?? null)
  return { fault: { message: rawMessage, template, line, column } }
}
