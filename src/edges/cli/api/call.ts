import type { CommandInput } from '../command.ts'
import { usageError } from '../errors.ts'
import type { CliEnvironment, CommandContext } from '../output.ts'
import { openPrompt } from '../prompt.ts'
import { joinService, withApi } from '../session.ts'
import type { ApiRequest, Operation } from './document.ts'
import { isDeletion } from './options.ts'
import { findReferenced, resolveNames, transportsPath } from './references.ts'
import { createRequest } from './request.ts'
import { showAnswer } from './show.ts'

/** Runs the command of an operation: sends its request to the API in this process, and shows the answer. */
export async function callApi(
  context: CommandContext,
  operation: Operation,
  input: CommandInput,
): Promise<number> {
  const { environment } = context
  const request = await createRequest(operation, input, environment)
  const isChange = operation.method !== 'get' && request.query['dryRun'] === undefined
  if (isChange && isDeletion(operation) && input.flags['yes'] !== true)
    await confirm(environment, [operation.summary, ...input.args].join(' '))
  const paths = pathsOf(operation, request)
  return withApi(
    environment,
    async (api, app) => {
      if (isChange) await joinService(app)
      const resolved = await resolveNames(operation, request, api)
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(resolved.params[name] ?? ''),
      )
      const url = `${path}?${new URLSearchParams(resolved.query)}`
      const send = (body: unknown) => api.send(operation.method, url, { ...resolved, body })
      const next = (after: number) => send({ ...(resolved.body as object), next: after })
      const question = { operation, request, next, api }
      return showAnswer(context, question, await send(resolved.body))
    },
    { paths },
  )
}

/** The paths that a request asks: its own, and the lists in which it and its answer find names. */
function pathsOf(operation: Operation, { params, query, body }: ApiRequest): Set<string> {
  const names = Object.keys({ ...params, ...query, ...(body as object | undefined) })
  const lists = names.map((name) => findReferenced(operation, name)?.list ?? operation)
  const paths = [operation, ...lists].map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
  return new Set([...paths, transportsPath])
}

/** Asks a person at a terminal. Throws an AppError (`invalid`) unless they agree. */
async function confirm(environment: CliEnvironment, question: string): Promise<void> {
  const prompt = openPrompt(environment)
  if (prompt === undefined) return
  const answer = await prompt
    .ask(`${question}. Type "yes" to go on: `)
    .finally(() => prompt.close())
  if (!/^y(es)?$/i.test(answer)) throw usageError('Nothing was changed.')
}
