import { request } from 'node:http'
import { adminPassword, asAdmin } from '../administrator.ts'
import type { MailyardProcess } from '../mailyard-process.ts'
import { submit } from '../relay/submit.ts'

/** Something that a caller sends in order to stop the others. */
export interface HostileInput {
  name: string
  send(target: HostileTarget): Promise<unknown>
}

/** The Mailyard that is attacked. */
export interface HostileTarget {
  ask(question: Question): Promise<Answer>
  /** Hands a message in; answers with the code of the last reply. */
  submit(raw: Buffer): Promise<number | undefined>
}

export interface Question {
  method?: string
  path: string
  /** An object is sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  text: string
}

export function attack(mailyard: MailyardProcess): HostileTarget {
  return {
    ask: (question) => ask(mailyard.port, question),
    async submit(raw) {
      const mail = { from: 'a@example.com', to: ['b@example.com'], raw }
      const login = { port: mailyard.smtpPort, username: 'admin', password: adminPassword }
      return (await submit(mail, login))?.code
    },
  }
}

/** How much of an answer is kept. */
const answerBytesMax = 1_048_576

function ask(
  port: number,
  { method = 'GET', path, body, headers = {} }: Question,
): Promise<Answer> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const bytes = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          authorization: asAdmin,
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          if (size < answerBytesMax) chunks.push(chunk)
          size += chunk.length
        })
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, text })
        })
        response.once('error', reject)
      },
    )
    sent.once('error', reject)
    sent.end(bytes)
  })
}
