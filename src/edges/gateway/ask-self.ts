import type { Dispatcher } from 'undici'
import { asList, asObject } from '../../core/mautic-client/index.ts'
import { unreachable } from './forward.ts'
import type { ServedMautic } from './served-mautics.ts'

/** What a Mautic says of a caller. */
export interface MauticSelf {
  /** Undefined for a client that acts for itself. */
  readonly id: number | undefined
  readonly username: string
  readonly name: string
  readonly email: string | undefined
  readonly roleName: string
  readonly isAdmin: boolean
  /** The rights on emails, such as `viewown`. */
  readonly emailRights: readonly string[]
}

/** The answer of Mautic: the caller, or the status and the message of its refusal. */
export type SelfAnswer = MauticSelf | { refused: 401 | 403; message: string }

const timeoutMs = 10_000
const bytesMax = 1_048_576

/** Asks a Mautic who has these credentials. Throws an HttpError (502) where it does not answer as Mautic does. */
export async function askSelf(
  agent: Dispatcher,
  mautic: ServedMautic,
  authorization: string,
): Promise<SelfAnswer> {
  const { status, text } = await request(agent, mautic, authorization).catch((error) => {
    throw unreachable(mautic, error)
  })
  const body = readJson(text)
  if (status === 401 || status === 403) return { refused: status, message: messageOf(body) }
  const self = status === 200 ? readSelf(body) : undefined
  if (self === undefined)
    throw unreachable(mautic, new Error(`It answered ${status} to users/self.`))
  return self
}

async function request(agent: Dispatcher, mautic: ServedMautic, authorization: string) {
  const { origin, basePath } = mautic
  const signal = AbortSignal.timeout(timeoutMs)
  const { statusCode: status, body } = await agent.request({
    origin,
    path: `${basePath}/api/users/self`,
    method: 'GET',
    headers: { authorization, accept: 'application/json' },
    signal,
  })
  const text = await readLimited(body, bytesMax)
  if (text === undefined) throw new Error('The answer is too large.')
  return { status, text }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a caller. Mautic leaves out what is empty, writes some numbers as strings, and an empty object as a list. */
function readSelf(body: unknown): MauticSelf | undefined {
  const self = asObject(body)
  const { username, email } = self
  if (typeof username !== 'string') return undefined
  const id = Number(self['id'])
  const names = [self['firstName'], self['lastName']].filter((name) => typeof name === 'string')
  const role = asObject(self['role'])
  const rights = asObject(role['rawPermissions'])['email:emails']
  return {
    id: Number.isSafeInteger(id) && id > 0 ? id : undefined,
    username,
    name: names.join(' ').trim() || username,
    email: typeof email === 'string' ? email : undefined,
    roleName: typeof role['name'] === 'string' ? role['name'] : '',
    isAdmin: role['isAdmin'] === true,
    emailRights: Array.isArray(rights) ? rights.filter((right) => typeof right === 'string') : [],
  }
}

const messageMax = 200

/** Mautic's own words for a refusal. */
function messageOf(body: unknown): string {
  const [error] = asList(asObject(body)['errors'])
  const { message } = asObject(error)
  return typeof message === 'string'
    ? message.slice(0, messageMax)
    : 'The credentials were refused.'
}

/**
 * Reads a body as UTF-8.
 * @returns Undefined for one of more than `bytesMax`, whose connection is closed.
 */
async function readLimited(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
