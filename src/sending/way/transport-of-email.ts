import type { Contacts } from '../../contacts/index.ts'
import { checkTemplatePermission, type Emails } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { TwigError } from '../../twig/index.ts'
import { contactDataOf } from '../rendering/contact-data.ts'
import {
  type EmailRendererOptions,
  prepareEmail,
  readHeaders,
} from '../rendering/email-renderer.ts'
import { dependsOnContact, findNamedTransport } from '../rendering/named-transport.ts'
import type { WayQuestion } from './way.ts'

/**
 * Finds the transport that an email names in its own header `X-Mailyard-Transport`; undefined where it names none. Throws an
 * AppError (`invalid`) where the header depends on the contact, and none is given or it cannot be rendered.
 */
export type FindTransportOfEmail = (
  question: Pick<WayQuestion, 'emailId' | 'contactId'>,
  caller: Caller,
) => Promise<string | undefined>

/** What it is found with. */
export interface FindTransportOfEmailOptions {
  emails: Pick<Emails, 'findRow' | 'usesTemplates'>
  contacts: Pick<Contacts, 'findRow'>
  rendering: EmailRendererOptions
}

export function createFindTransportOfEmail({
  emails,
  contacts,
  rendering,
}: FindTransportOfEmailOptions): FindTransportOfEmail {
  return async ({ emailId, contactId }, caller) => {
    const email = emailId === undefined ? undefined : await emails.findRow(emailId)
    if (email === undefined) return undefined
    if (!dependsOnContact(email)) return findNamedTransport(readHeaders(email.headers))
    const contact = contactId === undefined ? undefined : await contacts.findRow(contactId)
    if (contact === undefined) throw needsContact(email.id)
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const renderer = await prepareEmail(email, rendering)
    try {
      return renderer.transportFor(contactDataOf(contact))
    } catch (error) {
      if (!(error instanceof TwigError)) throw error
      const message = `The headers of email ${email.id} cannot be rendered: ${error.message}`
      throw new AppError('invalid', 'email_not_rendered', message)
    }
  }
}

function needsContact(id: number): AppError {
  const message = `The transport that email ${id} names depends on the contact. Give "contactId" of an existing contact.`
  return new AppError('invalid', 'contact_required', message)
}
