import { AppError } from '../../../kit/app-error.ts'
import type { Log } from '../../../kit/log.ts'
import { networkOf } from '../../../kit/network-of.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { TwigError } from '../../../libraries/twig/index.ts'
import { createNetworkLimit } from '../../../platform/http/index.ts'
import type { Contacts } from '../../contacts/index.ts'
import { isEmpty } from '../rendering/compose-email.ts'
import { contactMailbox } from '../rendering/contact-data.ts'
import { findEmailFaults, refusalOf } from '../rendering/email-faults.ts'
import { type EmailRendererOptions, linksTo, renderEmail } from '../rendering/email-renderer.ts'
import { linkValues } from '../rendering/link-tokens.ts'
import type { OpenedLink } from '../rendering/links.ts'
import type { Emails } from '../service.ts'

/** An email as a page. */
export interface Webview {
  kind: 'html' | 'plain'
  text: string
}

/**
 * Renders the email of a link for its contact, as both are now. Undefined if that is not possible any more: one of them was
 * deleted, the email was unpublished, or the contact has another address. `busy` if this network asks too often.
 */
export type RenderWebview = (
  link: OpenedLink,
  address: string,
) => Promise<Webview | 'busy' | undefined>

export interface RenderWebviewOptions {
  emails: Pick<Emails, 'findRow'>
  contacts: Pick<Contacts, 'findRow'>
  rendering: EmailRendererOptions
  log: Log
}

/** How many pages a network gets in a minute. */
const perMinute = 60

export function createRenderWebview(options: RenderWebviewOptions): RenderWebview {
  const { log } = options
  const { work } = options.rendering
  const limit = createNetworkLimit({ points: perMinute, seconds: 60 })
  return async (link, address) => {
    if ((await limit.take(address)) > 0) return 'busy'
    try {
      return await work.run(`network ${networkOf(address)}`, () => render(link, options))
    } catch (error) {
      if (error instanceof AppError && error.kind === 'rate_limited') return 'busy'
      if (!(error instanceof TwigError)) throw error
      log.info({ emailId: link.emailId, reason: error.message }, 'email not shown as a page')
      return undefined
    }
  }
}

async function render(
  { emailId, contactId, address, brand }: OpenedLink,
  { emails, contacts, rendering }: RenderWebviewOptions,
): Promise<Webview | undefined> {
  const email = await emails.findRow(emailId)
  const contact = await contacts.findRow(contactId)
  if (email === undefined || !email.is_published || contact?.email == null) return undefined
  if (emailKey(contact.email) !== emailKey(address)) return undefined
  if (refusalOf(email, await findEmailFaults(email, rendering)) !== undefined) return undefined
  await rendering.work.turn()
  const data = await rendering.readContact(contact)
  const links = linkValues(linksTo(contact, { ...email, brand }, rendering))
  const to = contactMailbox(data)
  const rendered = await renderEmail(email, { contact: data, to, links }, rendering)
  if (isEmpty(rendered)) return undefined
  const { html, text } = rendered
  return html === null ? { kind: 'plain', text: text ?? '' } : { kind: 'html', text: html }
}
