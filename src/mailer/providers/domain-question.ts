import { isObject, textOf } from '../api/json.ts'
import type { HttpRequest } from '../connect/http-message.ts'
import type {
  DomainRecord,
  ProviderDomainQuestion,
  ProviderDomainState,
} from '../domains/provider-domains.ts'
import { DsnError } from '../grammar/dsn.ts'
import { asciiDomain } from '../message/ascii-domain.ts'
import {
  type AccountAccess,
  AccountApi,
  type ApiAnswer,
  ApiFailure,
  readAccountDsn,
} from './account-api.ts'
import type { DsnReader } from './dsn-reader.ts'

/** For all calls of a question. */
const timeoutMs = 10_000

/** A key of RSA with 8192 bits has 1,400 characters. */
const valueLengthMax = 4096

/** A domain needs up to six. */
const recordsMax = 20

/** How a provider's API is asked about a domain. Its functions may throw a DsnError. */
export interface DomainAccess {
  /** The API and the credential. */
  readonly account: AccountAccess
  /** What the credential needs, as a sentence: `Give the API key the permission "…".` */
  readonly permission: string
  /** Returns why the credential of the DSN is none of the API, as a sentence. Default: it is one. */
  refuse?(dsn: DsnReader): string | undefined
  /** Signs a request, where the credential is no header. */
  sign?(request: HttpRequest, context: { dsn: DsnReader; now: Date }): HttpRequest
  /** Finds the state of a domain. */
  ask(api: DomainApi, domain: string, dsn: DsnReader): Promise<ProviderDomainState>
}

/** Asks the API of a provider about a domain, with the credential of a DSN. It does not throw. */
export async function askAccount(
  access: DomainAccess,
  { dsn: text, domain, fetch, signal: outer, now = () => new Date() }: ProviderDomainQuestion,
): Promise<ProviderDomainState> {
  try {
    if (nameOf(domain) !== domain) return unknownState('The text is not a domain name.')
    const dsn = readAccountDsn(text)
    const problem = access.refuse?.(dsn)
    if (problem !== undefined) return unknownState(problem)
    const limit = AbortSignal.timeout(timeoutMs)
    const account = new AccountApi(access.account, {
      dsn,
      fetch,
      signal: outer === undefined ? limit : AbortSignal.any([outer, limit]),
      sign: (request) => access.sign?.(request, { dsn, now: now() }) ?? request,
    })
    return await access.ask(new DomainApi(access, account), domain, dsn)
  } catch (error) {
    if (error instanceof DsnError || error instanceof ApiFailure) return unknownState(error.message)
    // An answer may have anything where an id or a name is expected.
    return unknownState('The answer of the provider could not be read.')
  }
}

/** The API that is asked about domains. Its errors say what to do, and hold no secret. */
export class DomainApi {
  readonly #access: DomainAccess
  readonly #api: AccountApi

  constructor(access: DomainAccess, api: AccountApi) {
    this.#access = access
    this.#api = api
  }

  /**
   * Reads an object, or a list as `{ items }`.
   * @throws {ApiFailure}
   */
  async get(path: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#read(await this.#api.request('GET', path))
  }

  /**
   * Reads an object that may not exist; undefined if the API answers 404 in the words of the provider. Others answer
   * 404, too, such as a proxy that has only the path for messages.
   * @throws {ApiFailure}
   */
  async find(
    path: string,
    isMissing: (content: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.#api.request('GET', path)
    const { status, content } = answer
    return status === 404 && isObject(content) && isMissing(content)
      ? undefined
      : this.#read(answer)
  }

  #read(answer: ApiAnswer): Readonly<Record<string, unknown>> {
    const { isOk, content } = answer
    if (!isOk) throw this.#refusal(answer)
    if (Array.isArray(content)) return { items: content }
    if (isObject(content)) return content
    throw new ApiFailure(
      `${this.#access.account.title} answered something that is not JSON. Check the host in the DSN.`,
    )
  }

  #refusal(answer: ApiAnswer): ApiFailure {
    const { account, permission } = this.#access
    const { title } = account
    const { status } = answer
    const said = this.#api.wordsOf(answer)
    if (status === 401 || status === 403)
      return new ApiFailure(
        `${title} does not let this credential read the state of the domain: ${said}. ${permission}`,
      )
    if (status === 429)
      return new ApiFailure(
        `${title} accepts no more calls at the moment: ${said}. Try again in a minute.`,
      )
    if (status >= 500)
      return new ApiFailure(`${title} reports an internal error: ${said}. Try again later.`)
    if (status >= 300 && status < 400)
      return new ApiFailure(`${title} answered with a redirect. Check the host in the DSN.`)
    return new ApiFailure(`${title} did not tell the state of the domain: ${said}.`)
  }
}

/** Creates the state of a domain that the API did not tell. */
export function unknownState(problem: string): ProviderDomainState {
  return { state: 'unknown', problem }
}

/** Returns a domain name of several labels in the form of `asciiDomain`; undefined for anything else. */
export function nameOf(text: unknown): string | undefined {
  const name = asciiDomain(textOf(text).trim())
  return name?.includes('.') === true ? name : undefined
}

/** Returns the domain of a DKIM record: what stands after `._domainkey.` in its name. */
export function signingDomainOf({ name }: DomainRecord): string | undefined {
  return nameOf(/^[^.]+\._domainkey\.(.+)$/.exec(name)?.[1])
}

/** Whether a record is one of DKIM. */
export function isDkimRecord(record: DomainRecord): boolean {
  return signingDomainOf(record) !== undefined
}

interface RecordFields {
  readonly type: unknown
  /** The whole name. */
  readonly name: unknown
  readonly value: unknown
  readonly isFound: unknown
}

/** Reads a record of an API; empty if it is none that can be published. */
export function readRecord({ type, name, value, isFound }: RecordFields): DomainRecord[] {
  const kind = textOf(type).toUpperCase()
  const fullName = nameOf(name)
  const text = textOf(value).trim()
  if (kind !== 'TXT' && kind !== 'CNAME' && kind !== 'MX') return []
  if (fullName === undefined || text === '' || text.length > valueLengthMax) return []
  if (!/^[ -~]*$/.test(text)) return []
  const record = { type: kind, name: fullName, value: text } as const
  return [typeof isFound === 'boolean' ? { ...record, isFound } : record]
}

interface SignedState {
  readonly records: readonly DomainRecord[]
  readonly returnPath?: string | undefined
  /** Ends the sentence: `SendGrid signs for example.com`. */
  readonly detail: string
  /** The provider, where its answer makes no sense. */
  readonly title: string
}

/**
 * Creates the state of a domain that is signed for: the domain of its DKIM records, of which there has to be one.
 * Without one, or with those of several domains, it is not known for which domain the provider signs.
 */
export function verifiedState({
  records,
  returnPath,
  detail,
  title,
}: SignedState): ProviderDomainState {
  const keys = records.filter(isDkimRecord)
  const [signingDomain, ...others] = new Set(keys.flatMap((key) => signingDomainOf(key) ?? []))
  if (signingDomain === undefined || others.length > 0 || keys.length > recordsMax)
    return unknownState(`${title} did not tell which domain it signs for.`)
  return { state: 'verified', signingDomain, records: keys, returnPath: returnPath ?? null, detail }
}

/** Creates the state of a domain that is not signed for yet. */
export function unverifiedState(
  detail: string,
  records: readonly DomainRecord[],
  returnPath?: string,
): ProviderDomainState {
  return {
    state: 'unverified',
    detail,
    records: records.slice(0, recordsMax),
    returnPath: returnPath ?? null,
  }
}
