import { isObject, objectsOf, textOf, textsOf } from '../api/json.ts'
import { type CreateWebhookOptions, WebhookError } from '../events/provider-webhooks.ts'
import { DsnError } from '../grammar/dsn.ts'
import {
  type AccountAccess,
  AccountApi,
  type ApiAnswer,
  type ApiBody,
  ApiFailure,
  isApiDsn,
  readAccountDsn,
} from './account-api.ts'
import type { DsnReader } from './dsn-reader.ts'

const byHand = 'Set the webhook up by hand as the steps say,'

/** How a provider's API sets a webhook up. Its functions may throw a DsnError, too. */
export interface WebhookSetup extends AccountAccess {
  /** The scheme with an API key, where an SMTP log-in is no credential of the API. */
  readonly apiScheme?: string
  /** What the credential needs, as a sentence: `Give the API key the permission "…".` */
  readonly permission: string
  /** Adds the webhook, or completes the one with this address. Returns the signing key; '' or null where the API tells none. */
  add(api: WebhookApi, dsn: DsnReader): Promise<string | null>
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

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

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
  readonly #api: AccountApi

  constructor(
    setup: WebhookSetup,
    { dsn, url, fetch }: Pick<CreateWebhookOptions, 'url' | 'fetch'> & { dsn: DsnReader },
  ) {
    this.url = url
    this.#setup = setup
    // A provider may repeat the address of the webhook, which holds a secret, too.
    this.#api = new AccountApi(setup, { dsn, fetch, secrets: [url] })
  }

  /** Calls the API. An answer without JSON is an empty object. */
  async call(
    method: Method,
    path: string,
    body?: ApiBody,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.list(method, path, body)
    return isObject(answer) ? answer : {}
  }

  /** Calls the API, and returns what it answers: an array, too. */
  async list(method: Method, path: string, body?: ApiBody): Promise<unknown> {
    const answer = await this.#request(method, path, body)
    if (answer.isOk) return answer.content
    throw this.#refusal(answer)
  }

  async #request(method: Method, path: string, body?: ApiBody): Promise<ApiAnswer> {
    try {
      return await this.#api.request(method, path, body)
    } catch (error) {
      throw error instanceof ApiFailure ? new WebhookError(error.message) : error
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
    return new WebhookError(this.#api.redact(sentence))
  }

  #refusal(answer: ApiAnswer): Refusal {
    const { title, permission } = this.#setup
    const { status, content } = answer
    const said = this.#api.wordsOf(answer)
    if (isMissingRight(status, content))
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
}

/** Mandrill answers every error with 500, and names the reason. */
function isMissingRight(status: number, answer: unknown): boolean {
  return status === 401 || status === 403 || (isObject(answer) && answer['name'] === 'Invalid_Key')
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
