import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Script, ScriptedServerOptions } from './smtp-server.case.test.ts'

/** A request for a token: the fields of its form. */
export type TokenForm = Readonly<Record<string, string>>

/** An answer instead of a token. */
export interface TokenAnswer {
  status: number
  body: string
  headers?: Record<string, string>
}

/** A token server of this machine. It issues `token-1`, `token-2` and so on. */
export interface TokenServer {
  url: string
  requests: TokenForm[]
  /** The tokens that an SMTP server accepts. */
  valid: Set<string>
  /** What the next requests get; undefined for a token. */
  respondWith(respond: (form: TokenForm) => TokenAnswer | Promise<TokenAnswer> | undefined): void
  /** Members that are added to each answer with a token. */
  more: Record<string, unknown>
  close(): Promise<void>
}

/** Starts a token server on a free port. */
export async function startTokenServer(): Promise<TokenServer> {
  const requests: TokenForm[] = []
  const valid = new Set<string>()
  let respond: (form: TokenForm) => TokenAnswer | Promise<TokenAnswer> | undefined = () => undefined
  const issue = (): TokenAnswer => {
    const access_token = `token-${requests.length}-of-the-test`
    valid.add(access_token)
    const fields = { token_type: 'Bearer', expires_in: 3599, access_token, ...tokens.more }
    return { status: 200, body: JSON.stringify(fields) }
  }
  const server = createServer((incoming, outgoing) => {
    void readForm(incoming).then(async (form) => {
      requests.push(form)
      answer(outgoing, (await respond(form)) ?? issue())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const tokens: TokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    requests,
    valid,
    more: {},
    respondWith(next) {
      respond = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return tokens
}

async function readForm(incoming: IncomingMessage): Promise<TokenForm> {
  let body = ''
  for await (const chunk of incoming) body += String(chunk)
  return Object.fromEntries(new URLSearchParams(body))
}

function answer(outgoing: ServerResponse, { status, body, headers }: TokenAnswer): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  outgoing.end(body)
}

/**
 * Options of an SMTP server that accepts the tokens of a token server, and refuses others as Exchange and Google do. `script` has
 * what it does differently.
 */
export function acceptsTokens(
  tokens: TokenServer,
  script: Script = {},
  mechanism: 'XOAUTH2' | 'OAUTHBEARER' = 'XOAUTH2',
): ScriptedServerOptions {
  const reason = Buffer.from('{"status":"400","schemes":"Bearer"}').toString('base64')
  return {
    extensions: [`AUTH ${mechanism}`],
    script: {
      auth: (line) => (tokens.valid.has(loginOf(line).token) ? undefined : `334 ${reason}`),
      answer: '535 5.7.3 Authentication unsuccessful',
      ...script,
    },
  }
}

/** Reads the mailbox and the token of an AUTH command. */
export function loginOf(line: string): { user: string; token: string } {
  const fields = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .toString()
    .split('\x01')
  const find = (name: RegExp) => fields.find((field) => name.test(field))?.replace(name, '') ?? ''
  return { user: find(/^user=/), token: find(/^auth=Bearer /) }
}
