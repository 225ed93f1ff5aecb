import type { ApiAdapter, ApiMessage, ApiResult } from '../api/api-adapter.ts'
import { postJson } from '../api/json.ts'
import type { HttpResponse } from '../connect/http-message.ts'
import type { ParsedMessage } from '../message/parse-message.ts'
import type { DsnReader } from './dsn-reader.ts'
import { type ApiScheme, apiEndpoint, type PerDsn, type SchemeNames, valueFor } from './provider.ts'

/** The API of a provider that takes a message as JSON. `options` of a DSN are read first, for its bodies and responses. */
interface JsonScheme<Options> extends SchemeNames, Pick<ApiAdapter, 'limits'> {
  /** The provider's own. */
  readonly host: PerDsn<string>
  readonly path: PerDsn<string>
  readonly options?: (dsn: DsnReader) => Options
  readonly headers: (dsn: DsnReader) => Readonly<Record<string, string>>
  /** Builds the body. Properties that are undefined are left out. */
  readonly body: (message: ApiMessage, options: Options) => unknown
  /** See `ApiAdapter`. */
  readonly readResponse: (response: HttpResponse, options: Options) => ApiResult | undefined
}

/** Creates the scheme of an API that takes a message as JSON. */
export function jsonScheme<Options>(scheme: JsonScheme<Options>): ApiScheme {
  const { host, path, limits, headers, body, options, readResponse, ...names } = scheme
  return {
    ...names,
    kind: 'api',
    read(dsn) {
      const read = options?.(dsn) as Options
      const sent = headers(dsn)
      const endpoint = apiEndpoint(dsn, valueFor(host, dsn))
      const url = `${endpoint}${valueFor(path, dsn)}`
      const request = async (message: ApiMessage) => postJson(url, sent, await body(message, read))
      return { endpoint, limits, request, readResponse: (response) => readResponse(response, read) }
    },
  }
}

/** Builds a body from the fields of the message, for an API without raw MIME. */
export function parsed<Options>(build: (message: ParsedMessage, options: Options) => unknown) {
  return async (message: ApiMessage, options: Options) => build(await message.parse(), options)
}
