import { isObject, textOf } from '../api/json.ts'
import type { HttpRequest } from '../connect/http-message.ts'
import { OutboundError } from '../connect/outbound-error.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { DsnError } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { DsnReader } from './dsn-reader.ts'
import { apiEndpoint } from './provider.ts'

/** A longer answer of a provider would not help the person who reads it. */
const excerptLength = 300

/** For one call. A person waits for up to six. */
const timeoutMs = 10_000

/** No answer that is asked for is nearly as large. */
const bytesMax = 1_048_576

/** The API of a provider and the credential of a DSN. Its functions may throw a DsnError. */
export interface AccountAccess {
  /** The provider's name as it writes it. */
  readonly title: string
  /** Returns the host of the API. */
  host(dsn: DsnReader): string
  /** Reads the credential. */
  login(dsn: DsnReader): AccountLogin
}

/** The headers that have a credential, and what must not be shown. */
export interface AccountLogin {
  readonly headers?: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/**
 * Reads the DSN whose credential is used.
 * @throws {DsnError} for a list, and for a credential that HTTP headers cannot carry.
 */
export function readAccountDsn(text: string): DsnReader {
  const node = readDsn(text)
  if (node.type !== 'single')
    throw new DsnError('too_many_members', 'The DSN lists several transports. Name one of them.')
  const reader = new DsnReader(node, [])
  // The error of an HTTP client for such a header would repeat it.
  if (/^[ -~]*$/.test(`${reader.user ?? ''}${reader.password ?? ''}`)) return reader
  throw new DsnError(
    'special_character',
    'The DSN has a key with a character that is not ASCII. Copy it again.',
  )
}

/** Whether the DSN names the provider's API, and so holds a credential of it and perhaps its host. */
export function isApiDsn({ scheme }: DsnReader): boolean {
  return /\+(api|https)$|^(mailgun|mandrill)$/.test(scheme)
}

/** What a call sends: JSON, or a form. */
export type ApiBody = Readonly<Record<string, unknown>> | URLSearchParams

/** An answer of an API. */
export interface ApiAnswer {
  readonly status: number
  readonly isOk: boolean
  /** What the JSON means; the text of an answer that is not JSON. */
  readonly content: unknown
}

/** An API that did not answer. The message says what to do, and holds no secret. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
}

interface AccountApiOptions {
  readonly dsn: DsnReader
  /** Obeys the outbound policy. */
  readonly fetch: typeof fetch
  /** What must not be shown, other than the credential. */
  readonly secrets?: readonly string[]
  /** Ends the calls. Each call has a time limit of its own, too. */
  readonly signal?: AbortSignal | undefined
  /** Signs a request, where the credential is no header. */
  readonly sign?: (request: HttpRequest) => HttpRequest
}

/** Calls the API of a provider with the credential of a DSN. */
export class AccountApi {
  readonly #title: string
  readonly #endpoint: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #options: AccountApiOptions
  /** Masks the credential in a text. */
  readonly redact: Redactor

  constructor(access: AccountAccess, options: AccountApiOptions) {
    const { dsn, secrets: others = [] } = options
    const { headers = {}, secrets } = access.login(dsn)
    const host = access.host(dsn)
    this.#title = access.title
    this.#endpoint = isApiDsn(dsn) ? apiEndpoint(dsn, host) : `https://${host}`
    this.#headers = headers
    this.#options = options
    this.redact = createRedactor([...secrets, ...others])
  }

  /**
   * Calls the API. Any status is an answer, also a redirect.
   * @throws {ApiFailure}
   */
  async request(method: HttpRequest['method'], path: string, body?: ApiBody): Promise<ApiAnswer> {
    const { fetch, sign, signal } = this.#options
    const plain: HttpRequest = {
      method,
      url: `${this.#endpoint}${path}`,
      headers: { accept: 'application/json', ...contentType(body), ...this.#headers },
      body: body === undefined ? '' : textOfBody(body),
    }
    try {
      const { url, headers } = sign?.(plain) ?? plain
      const limit = AbortSignal.timeout(timeoutMs)
      const request: RequestInit = {
        method,
        headers,
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      }
      if (body !== undefined) request.body = textOfBody(body)
      const response = await fetch(url, request)
      const content = parse(await readText(response))
      return { status: response.status, isOk: response.ok, content }
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** Returns the words of an answer that refuses a call, without a secret and without a full stop at the end. */
  wordsOf({ status, content }: ApiAnswer): string {
    const words = this.redact(findWords(content)).slice(0, excerptLength)
    return words === '' ? `HTTP status ${status}` : words.replace(/[.\s]+$/, '')
  }

  #failure(error: unknown): ApiFailure {
    // Where the outbound policy blocks it, the words of the policy say what to do.
    const cause = error instanceof Error ? (error.cause ?? error) : error
    if (cause instanceof OutboundError) return new ApiFailure(this.redact(cause.message))
    const { host } = new URL(this.#endpoint)
    const name = `${this.#title} (${host})`
    if (error instanceof TooLarge)
      return new ApiFailure(
        `${name} answered with more than ${bytesMax / 1_048_576} MB. Check that nothing on the way answers in its place.`,
      )
    if (error instanceof Error && error.name === 'AbortError')
      return new ApiFailure(`The call to ${name} was cancelled. Ask again.`)
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return new ApiFailure(
      this.redact(
        isTimeout
          ? `${name} did not answer within ${timeoutMs / 1000} s. Try again later.`
          : `${name} could not be reached. Check the network, and try again.`,
      ),
    )
  }
}

class TooLarge extends Error {}

/** Reads a body, but not more than is plausible. */
async function readText({ body }: Response): Promise<string> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > bytesMax) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function textOfBody(body: ApiBody): string {
  return isForm(body) ? body.toString() : JSON.stringify(body)
}

function isForm(body: ApiBody): body is URLSearchParams {
  return body instanceof URLSearchParams
}

function contentType(body: ApiBody | undefined): Record<string, string> {
  if (body === undefined) return {}
  const type = isForm(body) ? 'application/x-www-form-urlencoded' : 'application/json'
  return { 'content-type': type }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const wordMembers = ['message', 'Message', 'ErrorMessage', 'error', 'detail', 'description']

/** Finds the words of an error, where the providers put them. */
function findWords(answer: unknown): string {
  // Mailgun answers "Forbidden", others a page.
  if (typeof answer === 'string') return answer.startsWith('<') ? '' : answer.trim()
  if (!isObject(answer)) return ''
  const named = wordMembers.map((name) => textOf(answer[name])).find((words) => words !== '')
  if (named !== undefined) return named
  const errors = answer['errors']
  if (typeof errors === 'string') return errors
  return Array.isArray(errors) ? errors.map(wordsOfError).join('; ') : ''
}

function wordsOfError(error: unknown): string {
  return typeof error === 'string' ? error : findWords(error)
}
