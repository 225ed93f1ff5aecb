import qs from 'qs'
import { createClient } from '../http/send-request.ts'
import type { TestBody } from '../test-app.ts'

/** What Mautic's PHP client (api-library 4) makes of an answer. */
export interface LibraryAnswer {
  status: number
  body: TestBody
}

/** Calls the API over a socket as Mautic's PHP client does, with the empty `Expect` that it sends with Basic and each POST. */
export interface LibraryClient {
  /** Parameters go into the query of GET and DELETE, and into a JSON body else: `[]` where there are none. */
  call(method: string, path: string, parameters?: unknown): Promise<LibraryAnswer>
  close(): void
}

/** `authorization` is the whole header, as the library sends it for Basic and for OAuth 2. */
export function createLibraryClient(url: string, authorization: string): LibraryClient {
  const client = createClient(url)
  const isBasic = authorization.startsWith('Basic ')
  return {
    async call(method, path, parameters = []) {
      const inQuery = method === 'GET' || method === 'DELETE'
      // http_build_query: falsy values are left out by the library, brackets are percent-encoded.
      const query = inQuery ? qs.stringify(parameters) : ''
      const answer = await client.send(
        {
          method,
          target: `/api/${path}${query === '' ? '' : `?${query}`}`,
          headers: {
            ...(isBasic || method === 'POST' ? { expect: '' } : {}),
            ...(inQuery ? {} : { 'content-type': 'application/json' }),
            accept: 'application/json',
          },
          body: inQuery ? undefined : Buffer.from(JSON.stringify(parameters)),
        },
        authorization,
      )
      return { status: answer.status, body: readAnswer(answer) }
    },
    close: () => client.close(),
  }
}

/** Throws where the library would report an error of its own making. */
function readAnswer({ status, text }: { status: number; text: string }): TestBody {
  if (text === '' || text.startsWith('<')) throw new Error(`${status}: the library reads no answer`)
  return JSON.parse(text)
}

/** The header of HTTP Basic, as the library sends it. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
