import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import {
  type Callers,
  disconnected,
  type HttpRequest,
  isAsked,
  type Query,
  text,
} from '../../http/index.ts'
import type { SaveContext } from '../resource-service.ts'
import type { ResourceShape } from '../resource-shape.ts'

const failure = {
  record: 'A failed test is answered 400 with its report in `test`, and changes nothing.',
  item: 'An item whose test fails has 400 and the report in `errors`. Ten tests of a process run at a time; the others wait.',
}

/** The query parameter of a resource whose records can be tested before they are saved; none for another resource. */
export function testParameter(
  { testReport, area }: Pick<ResourceShape, 'testReport' | 'area'>,
  saved: 'record' | 'item',
) {
  if (testReport === undefined) return {}
  const description = `\`1\`: tests the ${saved} before it is saved, and saves it only if the test passes. ${failure[saved]} Needs the permission \`${area}:edit\`. A client that disconnects stops the test, and nothing more is saved.`
  return { ifTestPasses: text(description) }
}

/** The query of a request that saves one record; none for a resource without a test. */
export function testQuery(shape: ResourceShape) {
  return shape.testReport === undefined
    ? {}
    : { querystring: Type.Unsafe<Query>(Type.Object(testParameter(shape, 'record'))) }
}

/**
 * Returns who saves, and whether `ifTestPasses` asks for a test.
 *
 * @throws AppError (`forbidden`) if the caller may not test.
 */
export function readSaveContext(
  { shape: { testReport, area }, callers }: { shape: ResourceShape; callers: Callers },
  { request, reply, isAtomic }: { request: HttpRequest; reply: FastifyReply; isAtomic: boolean },
): SaveContext {
  const caller = callers.of(request)
  const isTested = testReport !== undefined && isAsked(request.query as Query, 'ifTestPasses')
  if (!isTested) return { caller, isAtomic }
  if (caller.can(`${area}:edit`))
    return { caller, isAtomic, ifTestPasses: { signal: disconnected(reply) } }
  const message = `A test needs the permission ${area}:edit. Leave out ifTestPasses to save without a test.`
  throw new AppError('forbidden', 'test_forbidden', message)
}
