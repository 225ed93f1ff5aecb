import { AppError } from '../../kit/app-error.ts'
import {
  asCount,
  asFlag,
  asList,
  asObject,
  asText,
  type MauticClient,
  MauticError,
} from '../../mautic/index.ts'

/** Reads Mautic's API. */
export type ReadMautic = Pick<MauticClient, 'get'>

/** A transport of the plug-in Multiple Transport. */
export interface PlugInTransport {
  id: number
  name: string
  description: string | null
  mailerDsn: string
  testedEmailFrom: string | null
  isPublished: boolean
}

/** A template of the plug-in Twig Templates. */
export interface PlugInTemplate {
  id: number
  name: string
  description: string | null
  template: string
  isPublished: boolean
}

/** An email or a user of Mautic. */
export interface MauticRecord {
  id: number
  name: string
}

/** The transport that the plug-in has assigned to an email or a user. */
export interface PlugInAssignment extends MauticRecord {
  kind: 'email' | 'user'
  /** Null where only the transport of the owner is asked for. */
  transportId: number | null
  /** Undefined for a user. */
  useOwnerTransport: boolean | undefined
}

/** Reads the transports; undefined where the plug-in does not answer. */
export async function readTransports(mautic: ReadMautic): Promise<PlugInTransport[] | undefined> {
  const items = await whereAnswered(() =>
    readAll(mautic, '/api/multipleTransports', (body) => body),
  )
  return items?.map((item) => ({
    ...readCommon(item),
    mailerDsn: asText(item['mailerDsn']),
    testedEmailFrom: asText(item['testedEmailFrom']) || null,
  }))
}

/** Reads the Twig templates; undefined where the plug-in does not answer. */
export async function readTemplates(mautic: ReadMautic): Promise<PlugInTemplate[] | undefined> {
  const items = await whereAnswered(() =>
    readAll(mautic, '/api/twigTemplates', (body) => asObject(body)['twigTemplates']),
  )
  return items?.map((item) => ({ ...readCommon(item), template: asText(item['template']) }))
}

function readCommon(item: Item) {
  return {
    id: item.id,
    name: asText(item['name']),
    description: asText(item['description']) || null,
    // The contract does not show it for templates.
    isPublished: item['isPublished'] === undefined || asFlag(item['isPublished']),
  }
}

const kinds = {
  email: {
    list: '/api/emails',
    listKey: 'emails',
    nameOf: (item: Item) => asText(item['name']),
    path: '/api/multipleTransport/transportEmail',
    answerKey: 'transportEmail',
  },
  user: {
    list: '/api/users',
    listKey: 'users',
    nameOf: (item: Item) => asText(item['username']),
    path: '/api/multipleTransport/transportUser',
    answerKey: 'transportUser',
  },
} as const

const inOrder = { minimal: 1, orderBy: 'id', orderByDir: 'ASC' }

/** The connections that the client keeps to one Mautic. */
const concurrent = 4

/** Reads the assignments of all emails or users; undefined where the plug-in does not answer questions for them. */
export async function readAssignments(
  mautic: ReadMautic,
  kind: keyof typeof kinds,
): Promise<PlugInAssignment[] | undefined> {
  const { list, listKey, nameOf } = kinds[kind]
  const items = await readAll(mautic, list, (body) => asObject(body)[listKey], inOrder)
  const results: PlugInAssignment[] = []
  for (let start = 0; start < items.length; start += concurrent) {
    const batch = items.slice(start, start + concurrent)
    const assignments = await whereAnswered(() =>
      Promise.all(
        batch.map((item) => readAssignment(mautic, kind, { id: item.id, name: nameOf(item) })),
      ),
    )
    if (assignments === undefined) return undefined
    results.push(...assignments.filter((each) => each !== undefined))
  }
  return results
}

async function readAssignment(
  mautic: ReadMautic,
  kind: keyof typeof kinds,
  { id, name }: MauticRecord,
): Promise<PlugInAssignment | undefined> {
  const { path, answerKey } = kinds[kind]
  try {
    const body = asObject(await mautic.get(`${path}/${id}`))
    const answer = asObject(body[answerKey] ?? body)
    const transportId =
      asCount(asObject(answer['transport'])['id']) ?? asCount(answer['transportId'])
    const isOwners = asFlag(answer['useOwnerTransport'])
    if (transportId === undefined && !isOwners) return undefined
    const useOwnerTransport = kind === 'email' ? isOwners : undefined
    return { kind, id, name, transportId: transportId ?? null, useOwnerTransport }
  } catch (error) {
    if (isMissing(error) && !isNotRouted(error)) return undefined
    throw error
  }
}

type Item = Readonly<Record<string, unknown>> & { id: number }

const pageSize = 200

/** Reads a list to its end, whatever page size Mautic allows. An answer that ignores `start` is complete. */
async function readAll(
  mautic: ReadMautic,
  path: string,
  pick: (body: unknown) => unknown,
  query: Readonly<Record<string, string | number>> = {},
): Promise<Item[]> {
  const itemsById = new Map<number, Item>()
  for (let start = 0; ; ) {
    const page = { ...query, start, limit: pageSize }
    const items = asList(pick(await mautic.get(path, page))).flatMap(readItem)
    const before = itemsById.size
    for (const item of items) itemsById.set(item.id, item)
    if (itemsById.size === before) return [...itemsById.values()]
    start += items.length
  }
}

function readItem(value: unknown): Item[] {
  const item = asObject(value)
  const id = asCount(item['id'])
  return id === undefined ? [] : [{ ...item, id }]
}

/** Returns undefined where Mautic does not know the address, because it does not have the plug-in. */
async function whereAnswered<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isNotRouted(error)) return undefined
    if (error instanceof MauticError)
      throw new AppError('upstream', `mautic_${error.code}`, error.message, { cause: error })
    throw error
  }
}

const isMissing = (error: unknown) => error instanceof MauticError && error.code === 'not_found'

/** Whether no route of Mautic has this address, or the method. */
function isNotRouted(error: unknown): boolean {
  if (!(error instanceof MauticError)) return false
  return /Requested URL not found|answered 405/.test(error.detail)
}
