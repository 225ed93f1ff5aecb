import Type from 'typebox'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { addResourceRoutes } from '../../platform/resource/index.ts'
import { describeFields } from './present-contact.ts'
import { contactShape } from './schema.ts'
import type { Contacts } from './service.ts'

export interface ContactRouteParts {
  contacts: Contacts
  callers: Callers
}

/** Adds `/api/contacts`. */
export function addContactRoutes(app: HttpApp, { contacts, callers }: ContactRouteParts): void {
  addFieldRoute(app)
  addResourceRoutes(app, contactShape, { service: contacts, callers })
}

const fieldExample = { id: 3, label: 'First Name', alias: 'firstname', type: 'text', group: 'core' }

/** Adds Mautic's `GET /api/contacts/list/fields`. */
function addFieldRoute(app: HttpApp): void {
  const field = Type.Object({
    id: Type.Integer(),
    label: Type.String(),
    alias: Type.String({ description: 'Its name in requests, templates and tokens.' }),
    type: Type.String(),
    group: Type.String(),
    order: Type.Integer(),
  })
  const schema = {
    operationId: 'listContactFields',
    summary: 'List the fields of contacts',
    tags: ['contacts'],
    response: {
      200: Type.Record(Type.String(), field, {
        description: 'By id, as in Mautic.',
        examples: [{ '3': { ...fieldExample, order: 3 } }],
      }),
    },
  }
  const fields = Object.fromEntries(
    describeFields().map((each) => [each.id, { ...each, order: each.id }]),
  )
  const config = { permission: 'contact:view' as const }
  app.get('/api/contacts/list/fields', { schema, config }, () => fields)
}
