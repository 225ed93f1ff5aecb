import { type Answer, ask, type Schema } from '../lib/api.ts'
import type { Kind } from './deletable.ts'
import type { ListQuery } from './list.tsx'
import type { Resource, Versioned } from './resource-screen.tsx'

/** The addresses of records in the API, by the name that an answer gives one of them. */
const paths = {
  brand: '/api/brands',
  contact: '/api/contacts',
  dkimKey: '/api/dkimKeys',
  email: '/api/emails',
  limit: '/api/limits',
  mautic: '/api/mautics',
  oauthClient: '/api/oauthClients',
  role: '/api/roles',
  twigTemplate: '/api/twigTemplates',
  user: '/api/users',
  webhook: '/api/webhooks',
} as const

type Name = keyof typeof paths
type SchemaOf<N extends Name> = N extends 'oauthClient' ? 'OAuthClient' : Capitalize<N>
type Model<N extends Name> = Schema<SchemaOf<N>>
type Input<N extends Name> = Schema<`${SchemaOf<N>}Input`>

/** Reads one record. */
export async function readRecord<N extends Name>(
  name: N,
  id: number,
): Promise<Versioned<Model<N>>> {
  // All of them have the same shape of requests and answers; one stands for their types.
  const path = `${paths[name]}/{id}` as '/api/limits/{id}'
  return recordOf(name, await ask('GET', path, { path: { id } }))
}

/** Loads the lists of records, such as `listOf('limit', { with: 'usage' })`. */
export function listOf<N extends Exclude<Name, 'contact' | 'email' | 'twigTemplate'>>(
  name: N,
  query: { with?: string } = {},
) {
  return async (asked: ListQuery, signal: AbortSignal) => {
    const options = { query: { ...asked, ...query }, signal }
    const { body } = await ask('GET', paths[name] as '/api/limits', options)
    const rows = (body as object as Record<`${N}s`, readonly Model<N>[]>)[`${name}s`]
    return { rows, total: body.total }
  }
}

/** Saves a record: a new one without an id, and else what `body` has, unless someone else has changed it since `etag`. */
export async function saveRecord<N extends Name>(
  name: N,
  { id, etag, body }: { id: number | undefined; etag: string | undefined; body: Partial<Input<N>> },
  query: { ifTestPasses?: '1' } = {},
): Promise<Versioned<Model<N>>> {
  const path = paths[name]
  const options = { query, body: body as object as Input<'limit'> }
  return recordOf(
    name,
    id === undefined
      ? await ask('POST', `${path}/new` as '/api/limits/new', options)
      : await ask('PATCH', `${path}/{id}/edit` as '/api/limits/{id}/edit', {
          ...options,
          path: { id },
          etag,
        }),
  )
}

/** Deletes one record; answers the sentence to show. */
export async function deleteRecord(name: Name, id: number): Promise<string> {
  const path = `${paths[name]}/{id}/delete` as '/api/limits/{id}/delete'
  return (await ask('DELETE', path, { path: { id } })).body.message
}

/**
 * A kind of records. Those of a `kind` that can be restored send what has changed; the others are saved as a whole. `onSaved`
 * gets what was saved; `onDeleted` is called also after a fault.
 */
export function resourceOf<N extends Name, Draft extends object>(
  name: N,
  {
    kind,
    inputOf,
    onSaved,
    onDeleted,
    ...resource
  }: Pick<Resource<Draft, Model<N>>, 'path' | 'area' | 'nameOf' | 'draftOf'> & {
    texts: Resource<Draft, Model<N>>['texts'] & { deleteText: string }
    kind?: Kind
    inputOf: (draft: Draft) => Partial<Input<N>>
    onSaved?: (record: Model<N>, isNew: boolean) => void
    onDeleted?: () => void
  },
): Resource<Draft, Model<N>> {
  return {
    ...resource,
    read: (id) => readRecord(name, id),
    async write(id, draft, { etag, changed }) {
      const input = inputOf(draft)
      const isWhole = id === undefined || kind === undefined
      const values = Object.entries(input).filter(([field]) =>
        changed.includes(field as keyof Draft),
      )
      const body = isWhole ? input : (Object.fromEntries(values) as typeof input)
      const saved = await saveRecord(name, { id, etag, body })
      onSaved?.(saved.record, id === undefined)
      return saved
    },
    deletion: {
      text: resource.texts.deleteText,
      remove: (id) => deleteRecord(name, id).finally(onDeleted),
      kind,
    },
  }
}

function recordOf<N extends Name>(name: N, { body, etag }: Answer<unknown>) {
  return { record: (body as Record<N, Model<N>>)[name], etag }
}
