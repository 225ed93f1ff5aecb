import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { AppError } from '../../kit/app-error.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { bodySizeBytesMax, checkJsonSize, checkStorableWithin } from './body-limits.ts'
import { parseBracketed } from './bracketed.ts'
import { HttpError } from './errors.ts'
import type { ExpensiveRoutes } from './expensive-routes.ts'
import { readTexts } from './form-values.ts'
import type { Callers, HttpApp } from './http-app.ts'
import { parametersMax } from './query.ts'

/** A body of this size is parsed in about a millisecond, without a turn. */
const smallBytesMax = 16 * 1024

export interface BodyParserOptions {
  work: WorkQueue
  callers: Pick<Callers, 'ownerOf'>
  expensive: ExpensiveRoutes
}

/**
 * Adds the parsers of request bodies: JSON, also without a Content-Type, and forms. `[]` and an empty body are read as
 * `{}`, because Mautic's own client sends them. Other content types are answered 415.
 *
 * `@fastify/formbody` is not used: it passes only text to its parser, so that neither bytes that are not UTF-8 nor the
 * schema of the route, which says what is a number, can be seen.
 *
 * A large body is parsed when its sender has a turn, in steps with a turn each.
 */
export function addBodyParsers(
  app: HttpApp,
  { work, callers, expensive }: BodyParserOptions,
): void {
  app.removeAllContentTypeParsers()
  const { bodies } = app
  const turnsFor = (request: FastifyRequest, { length }: Buffer): TakeTurn =>
    length > smallBytesMax ? () => work.turn(callers.ownerOf(request)) : undefined
  const readJson = async (request: FastifyRequest, body: Buffer) => {
    checkEncoding(request.headers['content-encoding'])
    const parse = () => parseJson(body, request, turnsFor(request, body))
    return expensive.run(request, parse, body.length)
  }
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    async (request: FastifyRequest, body: Readable) =>
      readJson(request, await bodies.read(request, body)),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, body: Readable) => {
      const form = await bodies.read(request, body)
      checkEncoding(request.headers['content-encoding'])
      const parse = () => parseForm(form, request, turnsFor(request, form))
      return expensive.run(request, parse, form.length)
    },
  )
  app.addContentTypeParser('*', async (request: FastifyRequest, body: Readable) => {
    const bytes = await bodies.read(request, body)
    if (bytes.length === 0) return {}
    if (request.headers['content-type'] !== undefined)
      throw new HttpError(415, 'Send the body as application/json.')
    return readJson(request, bytes)
  })
}

/** @see RFC 9110, section 15.5.16 */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(identity)?$/i.test(encoding)) return
  const message = `The Content-Encoding ${encoding.slice(0, 20)} is not supported. Send the body without one.`
  throw new HttpError(415, message, { 'accept-encoding': 'identity' })
}

/** Waits for a turn before the next step; undefined for a small body, all of which is one step. */
type TakeTurn = (() => Promise<void>) | undefined

async function parseJson(
  body: Buffer,
  request: FastifyRequest,
  takeTurn: TakeTurn,
): Promise<unknown> {
  if (takeTurn !== undefined) await takeTurn()
  request.server.bodies.chargeValues(request, checkJsonSize(body))
  const text = decode(body)
  if (text.trim() === '') return {}
  if (takeTurn !== undefined) await takeTurn()
  const value = parseJsonText(text)
  if (typeof value !== 'object' || value === null) throw notAnObject()
  if (takeTurn !== undefined) await takeTurn()
  if (text.includes('\\u')) checkStorableWithin(value)
  if (Array.isArray(value) && value.length === 0) return {}
  return readTexts(value, request.routeOptions.schema?.body as object | undefined)
}

/**
 * Parses JSON. Throws an AppError (`invalid`), also for a property `__proto__`: where names are data, such as the areas of
 * a role's permissions, dropping it would lose a part of the request silently.
 */
function parseJsonText(text: string): unknown {
  const value = parseSafely(text)
  if (value !== null || text.trim() === 'null') return value
  const message = 'Property "__proto__" is not allowed. Leave it out.'
  throw new AppError('invalid', 'name_forbidden', message)
}

/** Returns null for a body with `__proto__`. The parser's own message may quote a secret, so the error names only the position. */
function parseSafely(text: string): unknown {
  try {
    return secureJson.parse(text, { constructorAction: 'ignore', safe: true })
  } catch (error) {
    const position = /at position \d+( \(line \d+ column \d+\))?/.exec(
      (error as Error).message,
    )?.[0]
    const message = `The body is not JSON${position === undefined ? '' : `: there is an error ${position}`}.`
    throw new AppError('invalid', 'json_malformed', message)
  }
}

async function parseForm(
  body: Buffer,
  request: FastifyRequest,
  takeTurn: TakeTurn,
): Promise<unknown> {
  if (takeTurn !== undefined) await takeTurn()
  const text = decode(body)
  // curl sends JSON as a form unless -H sets the Content-Type. No form starts with these characters.
  if (/^\s*[[{]/.test(text)) return parseJson(body, request, takeTurn)
  if (body.length > bodySizeBytesMax) {
    const message = 'The form is larger than 1 MiB. Send a larger body as JSON.'
    throw new AppError('too_large', 'form_too_large', message)
  }
  if (text.split('&', parametersMax + 1).length > parametersMax) {
    const message = `The form has more than ${parametersMax} fields. Send more as JSON.`
    throw new AppError('too_large', 'form_too_large', message)
  }
  if (takeTurn !== undefined) await takeTurn()
  const values = parseBracketed(text, parametersMax)
  checkStorableWithin(values)
  return readTexts(values, request.routeOptions.schema?.body as object | undefined, true)
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
