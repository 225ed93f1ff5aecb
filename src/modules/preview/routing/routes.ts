import Type from 'typebox'
import type { Contacts } from '../../../core/contacts/index.ts'
import {
  checkTemplatePermission,
  dependsOnContact,
  type EmailRendererOptions,
  type Emails,
  findNamedTransport,
  readHeaders,
  renderNamedTransport,
} from '../../../core/emails/index.ts'
import { chooseMautic, type MauticFinder, mauticParameter } from '../../../core/mautic/index.ts'
import type { ResolveRoute, RouteQuestion } from '../../../core/routing/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { type Caller, noBrand } from '../../../kit/caller.ts'
import { TwigError } from '../../../libraries/twig/index.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type Query,
  text,
} from '../../../platform/http/index.ts'
import { brandOfAsked, routeAnswer, visibleRoute } from './visible-route.ts'

const permission = ['multipleTransports:view', 'email:view', 'contact:view'] as const

export interface ResolveRouteParts {
  resolveRoute: ResolveRoute
  mautics: MauticFinder
  emails: Pick<Emails, 'findRow' | 'usesTemplates'>
  contacts: Pick<Contacts, 'findRow'>
  rendering: EmailRendererOptions
  callers: Callers
}

const schema = {
  operationId: 'resolveTransport',
  summary: 'Show which transport a message is sent through, and why',
  tags: ['multipleTransports'],
  querystring: Type.Unsafe<Record<string, unknown>>(
    Type.Object({
      emailId: text('The email.'),
      contactId: text('The contact, whose owner counts.'),
      ownerId: text('The owner, if there is no contact.'),
      from: text(
        "The sender's address, if there is no email. A user with this address is the owner.",
      ),
      transport: text(
        'The transport that the message names, by name or id. Default: the header X-Mailyard-Transport of the email.',
      ),
      mautic: mauticParameter,
    }),
  ),
  response: {
    200: routeAnswer,
  },
}

/** Adds `GET /api/multipleTransport/resolve`: which transport a message is sent through, and why. */
export function addResolveRoute(app: HttpApp, parts: ResolveRouteParts): void {
  const { resolveRoute, callers } = parts
  const findTransportOfEmail = createFindTransportOfEmail(parts)
  app.get('/api/multipleTransport/resolve', { schema, config: { permission } }, async (request) => {
    const question = readQuestion(request.query)
    const caller = callers.of(request)
    const mautic = await chooseMautic(question.mautic, { caller, mautics: parts.mautics })
    // Only Mautic knows the headers of its emails.
    const transport =
      question.transport ??
      (mautic === undefined ? await findTransportOfEmail(question, caller) : undefined)
    const { emailId } = question
    const isOwn = mautic === undefined && emailId !== undefined
    const email = isOwn ? await parts.emails.findRow(emailId, caller) : undefined
    const brand = mautic === undefined ? brandOfAsked(caller, email) : (mautic.brand ?? noBrand)
    const asked = { ...question, mautic, transport, brand, caller }
    return visibleRoute(await resolveRoute(asked), caller)
  })
}

function readQuestion(query: Query) {
  const read = createQueryReader(query)
  const question = {
    transport: read.text('transport'),
    emailId: read.number('emailId'),
    contactId: read.number('contactId'),
    ownerId: read.number('ownerId'),
    from: read.text('from'),
    mautic: read.number('mautic'),
  }
  read.check()
  return question
}

/**
 * Finds the transport that the header `X-Mailyard-Transport` of an email names; undefined if it names none. Throws an
 * AppError (`invalid`) if the header depends on the contact and none is given, or if it cannot be rendered.
 */
type FindTransportOfEmail = (
  question: Pick<RouteQuestion, 'emailId' | 'contactId'>,
  caller: Caller,
) => Promise<string | undefined>

function createFindTransportOfEmail({
  emails,
  contacts,
  rendering,
}: ResolveRouteParts): FindTransportOfEmail {
  return async ({ emailId, contactId }, caller) => {
    const email = emailId === undefined ? undefined : await emails.findRow(emailId, caller)
    if (email === undefined) return undefined
    if (!dependsOnContact(email)) return findNamedTransport(readHeaders(email.headers))
    const contact = contactId === undefined ? undefined : await contacts.findRow(contactId, caller)
    if (contact === undefined) throw needsContact(email.id)
    checkTemplatePermission(caller, email, emails.usesTemplates)
    try {
      return await renderNamedTransport(email, await rendering.readContact(contact), rendering)
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
