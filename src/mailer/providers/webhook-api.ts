import { isObject, objectsOf, textOf, textsOf } from '../api/json.ts'
import { OutboundError } from '../connect/outbound-error.ts'
import { createRedactor, type Redactor } from '../delivery/redactor.ts'
import { type CreateWebhookOptions, WebhookError } from '../events/provider-webhooks.ts'
import { DsnError } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { DsnReader } from './dsn-reader.ts'
import { apiEndpoint } from './provider.ts'

/** A longer answer of a provider would not help the person who reads it. */
const excerptLength = 300

/** For one call. A person waits for up to six. */
const timeoutMs = 10_000

const byHand = 'Set the webhook up by hand as the steps say,'

/** How a provider's API sets a webhook up. Its functions may throw a DsnError, too. */
export interface WebhookSetup {
  /** The provider's name as it writes it. */
  readonly title: string
  /** The scheme with an API key, where an SMTP log-in is no credential of the API. */
  readonly apiScheme?: string
  /** What the credential needs, as a sentence: `Give the API key the permission "…".` */
  readonly permission: string
  /** Returns the host of the API. */
  host(dsn: DsnReader): string
  /** Reads the credential: the headers that have it, and what must not be shown. */
  login(dsn: DsnReader): WebhookLogin
  /** Adds the webhook, or completes the one with this address. Returns the signing key; '' or null where the API tells none. */
  add(api: WebhookApi, dsn: DsnReader): Promise<string | null>
}

interface WebhookLogin {
  readonly headers?: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/**
 * Sets the webhook of a provider up.
 * @throws {WebhookError} with what to do.
 */
export async function createWebhook(
  setup: WebhookSetup,
  { url, dsn: text, fetch }: CreateWebhookOptions,
): Promise<{ signingKey: string | null }> {
  try {
    const dsn = readAccountDsn(text)
    const { title, apiScheme } = setup
    if (apiScheme !== undefined && !isApiDsn(dsn))
      throw new WebhookError(
        `The DSN has an SMTP log-in, which ${title}'s API does not accept. ${byHand} or use a transport with ${apiScheme}:// and an API key.`,
      )
    const signingKey = await setup.add(new WebhookApi(setup, { dsn, url, fetch }), dsn)
    return { signingKey: signingKey || null }
  } catch (error) {
    throw error instanceof DsnError ? new WebhookError(error.message) : error
  }
}

function readAccountDsn(text: string): DsnReader {
  const node = readDsn(text)
  if (node.type === 'single') {
    const reader = new DsnReader(node, [])
    // The error of an HTTP client for such a header would repeat it.
    if (/^[ -~]*$/.test(`${reader.user ?? ''}${reader.password ?? ''}`)) return reader
    throw new WebhookError('The DSN has a key with a character that is not ASCII. Copy it again.')
  }
  throw new WebhookError(
    'The DSN lists several transports. Name the one to set up the webhook for.',
  )
}

/** Whether the DSN names the provider's API, and so holds a credential of it and perhaps its host. */
export function isApiDsn({ scheme }: DsnReader): boolean {
  return /\+(api|https)$|^(mailgun|mandrill)$/.test(scheme)
}

/** What a call sends: JSON, or a form. */
type Body = Readonly<Record<string, unknown>> | URLSearchParams

/** An answer of a provider that refuses a call. */
class Refusal extends WebhookError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The API with which the webhook of one account is set up. Its errors say what to do, and hold no secret. */
export class WebhookApi {
  /** The address that the provider is to call. */
  readonly url: string
  readonly #setup: WebhookSetup
  readonly #endpoint: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  readonly #redact: Redactor

  constructor(
    setup: WebhookSetup,
    { dsn, url, fetch }: Pick<CreateWebhookOptions, 'url' | 'fetch'> & { dsn: DsnReader },
  ) {
    const { headers = {}, secrets } = setup.login(dsn)
    const host = setup.host(dsn)
    this.url = url
    this.#setup = setup
    this.#endpoint = isApiDsn(dsn) ? apiEndpoint(dsn, host) : `https://${host}`
    this.#headers = headers
    this.#fetch = fetch
    // A provider may repeat the address of the webhook, which holds a secret, too.
    this.#redact = createRedactor([...secrets, url])
  }

  /** Calls the API. An answer without JSON is an empty object. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    body?: Body,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.list(method, path, body)
    return isObject(answer) ? answer : {}
  }

  /** Calls the API, and returns what it answers: an array, too. */
  async list(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    body?: Body,
  ): Promise<unknown> {
    const request: RequestInit = {
      method,
      headers: { accept: 'application/json', ...contentType(body), ...this.#headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }
    if (body !== undefined) request.body = isForm(body) ? body.toString() : JSON.stringify(body)
    try {
      const response = await this.#fetch(`${this.#endpoint}${path}`, request)
      const answer = parse(await response.text())
      if (response.ok) return answer
      throw this.#refusal(response.status, answer)
    } catch (error) {
      throw error instanceof WebhookError ? error : this.#failure(error)
    }
  }

  /** Calls the API, and returns undefined instead of a refusal with one of these statuses. */
  async tryCall(
    statuses: readonly number[],
    ...call: Parameters<WebhookApi['call']>
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      return await this.call(...call)
    } catch (error) {
      if (error instanceof Refusal && statuses.includes(error.status)) return undefined
      throw error
    }
  }

  /** Creates an error with what to do instead. */
  impossible(sentence: string): WebhookError {
    return new WebhookError(this.#redact(sentence))
  }

  #refusal(status: number, answer: unknown): Refusal {
    const { title, permission } = this.#setup
    const words = this.#redact(wordsOf(answer)).slice(0, excerptLength)
    const said = words === '' ? `HTTP status ${status}` : words.replace(/[.\s]+$/, '')
    if (isMissingRight(status, answer))
      return new Refusal(
        status,
        `${title} does not let this credential set up webhooks: ${said}. ${permission}`,
      )
    if (status === 429)
      return new Refusal(
        status,
        `${title} accepts no more calls at the moment: ${said}. Try again in a minute.`,
      )
    if (status >= 500)
      return new Refusal(status, `${title} reports an internal error: ${said}. Try again later.`)
    return new Refusal(
      status,
      `${title} refused to set up the webhook: ${said}. ${byHand} or correct what it names.`,
    )
  }

  #failure(error: unknown): WebhookError {
    const { title } = this.#setup
    // Where the outbound policy blocks it, the words of the policy say what to do.
    const cause = error instanceof Error ? (error.cause ?? error) : error
    if (cause instanceof OutboundError) return this.impossible(cause.message)
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    const host = new URL(this.#endpoint).host
    return this.impossible(
      isTimeout
        ? `${title} (${host}) did not answer within ${timeoutMs / 1000} s. Try again later.`
        : `${title} (${host}) could not be reached. Check the network, and try again.`,
    )
  }
}

/** Mandrill answers every error with 500, and names the reason. */
function isMissingRight(status: number, answer: unknown): boolean {
  return status === 401 || status === 403 || (isObject(answer) && answer['name'] === 'Invalid_Key')
}

function isForm(body: Body): body is URLSearchParams {
  return body instanceof URLSearchParams
}

function contentType(body: Body | undefined): Record<string, string> {
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
function wordsOf(answer: unknown): string {
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
  return typeof error === 'string' ? error : wordsOf(error)
}

/** Returns the host of another webhook's address: the rest may hold a secret of others. */
export function hostOf(url: unknown): string {
  const text = textOf(url)
  return URL.canParse(text) ? new URL(text).host : 'another address'
}

/**
 * Returns the members to change, so that a webhook has what is wanted: a list gets what it lacks, and keeps the rest.
 * Undefined: it has all. A flag that the API does not list is taken as set.
 */
export function changesOf(
  webhook: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, readonly string[] | string | boolean>>,
): Record<string, unknown> | undefined {
  const changes: Record<string, unknown> = {}
  let isComplete = true
  for (const [name, value] of Object.entries(wanted)) {
    const current = webhook[name]
    if (typeof value === 'object') {
      const known = textsOf(current)
      changes[name] = [...new Set([...known, ...value])]
      isComplete &&= value.every((one) => known.includes(one))
    } else {
      changes[name] = value
      isComplete &&= current === undefined || current === value
    }
  }
  return isComplete ? undefined : changes
}

/** Finds the object of a list whose member is this value. */
export function findObject(
  list: unknown,
  member: string,
  value: string,
): Readonly<Record<string, unknown>> | undefined {
  return objectsOf(list).find((object) => object[member] === value)
}

/** Returns an id of an API for a path. */
export function idOf(object: Readonly<Record<string, unknown>>, member = 'id'): string {
  return encodeURIComponent(textOf(object[member]))
}
