import { AppError } from '../../kit/app-error.ts'
import { asCount, asFlag, asList, asObject, asText, MauticError } from '../../mautic/index.ts'

/** Asks an API that has the paths of the plug-ins: that of a Mautic, or this one. */
export type AskApi = (
  path: string,
  query?: Readonly<Record<string, string | number>>,
) => Promise<unknown>

/** A record of a list. */
export type Item = Readonly<Record<string, unknown>> & { id: number }

const pageSize = 200

/** Reads a list to its end, whatever page size the API allows. An answer that ignores `start` is complete. */
export async function readList(ask: AskApi, path: string): Promise<Item[]> {
  const itemsById = new Map<number, Item>()
  for (let start = 0; ; ) {
    const query = { minimal: 1, orderBy: 'id', orderByDir: 'ASC', start, limit: pageSize }
    const body = await ask(path, query)
    const member = path.slice(path.lastIndexOf('/') + 1)
    const items = asList(Array.isArray(body) ? body : asObject(body)[member]).map(asObject)
    const before = itemsById.size
    for (const item of items) {
      const id = asCount(item['id'])
      if (id !== undefined) itemsById.set(id, { ...item, id })
    }
    if (itemsById.size === before) return [...itemsById.values()]
    start += items.length
  }
}

/** What an email or a user is assigned to. */
export interface Assigned {
  /** Null where only the transport of the owner is asked for. */
  transportId: number | null
  /** False for a user. */
  useOwnerTransport: boolean
}

export type Assignee = 'email' | 'user'

/** The path of the assignment of an email or a user. */
export const assignmentPath = (kind: Assignee, id: number) =>
  `/api/multipleTransport/transport${kind === 'email' ? 'Email' : 'User'}/${id}`

/** Returns null for one that is assigned to nothing, or is not known. */
export async function readAssigned(
  ask: AskApi,
  kind: Assignee,
  id: number,
): Promise<Assigned | null> {
  try {
    const body = asObject(await ask(assignmentPath(kind, id)))
    const answer = asObject(body[`transport${kind === 'email' ? 'Email' : 'User'}`] ?? body)
    const transportId =
      asCount(asObject(answer['transport'])['id']) ?? asCount(answer['transportId']) ?? null
    const useOwnerTransport = asFlag(answer['useOwnerTransport'])
    return transportId === null && !useOwnerTransport ? null : { transportId, useOwnerTransport }
  } catch (error) {
    const isMissing = error instanceof MauticError && error.code === 'not_found'
    if (isMissing && !isNotRouted(error)) return null
    throw error
  }
}

/** The connections that the client keeps to one Mautic. */
const concurrent = 4

/** Reads the assignments of all emails or users of a Mautic; undefined where the plug-in does not know its paths. */
export async function readAssignments(
  ask: AskApi,
  kind: Assignee,
): Promise<(Assigned & { id: number; name: string })[] | undefined> {
  const records = await readList(ask, `/api/${kind}s`)
  return whereAnswered(async () => {
    const found = []
    for (let start = 0; start < records.length; start += concurrent) {
      const some = records.slice(start, start + concurrent)
      const assigned = await Promise.all(some.map(({ id }) => readAssigned(ask, kind, id)))
      for (const [index, { id, name, username }] of some.entries()) {
        const each = assigned[index] ?? null
        if (each !== null) found.push({ ...each, id, name: asText(username ?? name) })
      }
    }
    return found
  })
}

/** Returns undefined where Mautic does not know the address, because it does not have the plug-in. */
export async function whereAnswered<Result>(
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isNotRouted(error)) return undefined
    if (error instanceof MauticError)
      throw new AppError('upstream', `mautic_${error.code}`, error.message, { cause: error })
    throw error
  }
}

/** Whether no route of Mautic has this address, or the method. */
function isNotRouted(error: unknown): boolean {
  return error instanceof MauticError && /Requested URL not found|answered 405/.test(error.detail)
}
