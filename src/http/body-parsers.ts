import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type { FastifyRequest } from 'fastify'
import type qs from 'qs'
import secureJson from 'secure-json-parse'
import { AppError } from '../kit/app-error.ts'
import { bodySizeBytesMax } from './body-sizes.ts'
import { readFormValues } from './form-values.ts'
import type { HttpApp } from './http-app.ts'
import { HttpRefusal } from './http-refusal.ts'
import { checkJsonSize } from './json-size.ts'
import { checkStorable, checkStorableWithin } from './storable-text.ts'

const require = createRequire(import.meta.url)

/** Loaded with the first query or form. */
function loadQs() {
  return require('qs') as typeof qs
}

/**
 * How bodies are read: JSON, also without a content type; `[]` and nothing at all as an empty body, as
 * Mautic's own client sends them; forms, with their numbers and booleans. Anything else is a 415.
 */
export function addBodyParsers(app: HttpApp): void {
  app.removeAllContentTypeParsers()
  const asBuffer = { parseAs: 'buffer' as const }
  const json = async ({ headers }: FastifyRequest, body: Buffer) => {
    refuseEncoding(headers['content-encoding'])
    return parseJson(body)
  }
  app.addContentTypeParser(/^application\/([\w.-]+\+)?json\b/i, asBuffer, json)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    asBuffer,
    async (request: FastifyRequest, body: Buffer) => {
      refuseEncoding(request.headers['content-encoding'])
      return parseForm(body, request)
    },
  )
  app.addContentTypeParser('*', asBuffer, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return {}
    if (request.headers['content-type'] !== undefined)
      throw new HttpRefusal(415, 'Send the body as application/json.')
    return json(request, body)
  })
}

/** RFC 9110, section 15.5.16. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) return
  throw new HttpRefusal(415, 'Send the body as it is, without a Content-Encoding.', {
    'accept-encoding': 'identity',
  })
}

/**
 * Reads a query string; names with brackets as PHP does: `ids[]=1`, `where[0][col]=name`. It never throws:
 * the router calls it where nothing catches. What is wrong with the values, `createValidator` says.
 */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return {}
  return loadQs().parse(text, { ...bracketed, parameterLimit: 20_000 })
}

/**
 * How names with brackets are read. Lists that are longer come as objects of their places: to let a list
 * grow further costs the parser the square of its length, and with it everybody's time.
 */
const bracketed = { depth: 5, arrayLimit: 100 }

/** Each costs the parser far more than its length; it would leave out the rest, and say nothing. */
const fieldsMax = 20_000

function parseJson(body: Buffer): unknown {
  checkJsonSize(body)
  const text = decode(body)
  if (text.trim() === '') return {}
  const value = parseJsonText(text)
  if (typeof value !== 'object' || value === null) throw notAnObject()
  if (text.includes('\\u')) checkStorableWithin(value)
  return Array.isArray(value) && value.length === 0 ? {} : value
}

/**
 * Throws an AppError (`invalid`). A `__proto__` is refused, and not dropped as an unknown field: where names are
 * values themselves, as the areas of a role's rights, what was asked for would be lost without a word.
 */
function parseJsonText(text: string): unknown {
  const value = parseSafely(text)
  if (value !== null || text.trim() === 'null') return value
  const message = 'The body has a name "__proto__", which nothing may have. Leave it out.'
  throw new AppError('invalid', 'name_forbidden', message)
}

/** Null where there is a `__proto__`. The parser's own message may quote a secret; only the place is told. */
function parseSafely(text: string): unknown {
  try {
    return secureJson.parse(text, { constructorAction: 'ignore', safe: true })
  } catch (error) {
    const place = /at position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0]
    const message = `The body is not JSON${place === undefined ? '' : `: something is wrong ${place}`}.`
    throw new AppError('invalid', 'json_malformed', message)
  }
}

function parseForm(body: Buffer, request: FastifyRequest): unknown {
  const text = decode(body)
  // What curl sends where nobody told it that it is JSON. No form begins so.
  if (/^\s*[[{]/.test(text)) return parseJson(body)
  checkStorable(text)
  if (body.length > bodySizeBytesMax) {
    const message = 'A form may be no larger than 1 MiB; send a larger body as JSON.'
    throw new AppError('too_large', 'form_too_large', message)
  }
  if (text.split('&', fieldsMax + 1).length > fieldsMax) {
    const message = `A form may have ${fieldsMax} fields; send more as JSON.`
    throw new AppError('too_large', 'form_too_large', message)
  }
  const values = loadQs().parse(text, { ...bracketed, parameterLimit: fieldsMax })
  checkStorableWithin(values)
  return readFormValues(values, request.routeOptions.schema?.body)
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) {
    throw new AppError('invalid', 'body_not_utf8', 'The body is not UTF-8. Send it as UTF-8.')
  }
  const text = body.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function notAnObject(): AppError {
  return new AppError('invalid', 'body_not_object', 'The body must be a JSON object.')
}
