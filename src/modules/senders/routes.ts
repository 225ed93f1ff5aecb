import Type from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  type HttpRequest,
  limitParameter,
  type Query,
  text,
} from '../../platform/http/index.ts'
import { senderAnswer, senderList, verdicts } from './schema.ts'
import type { SenderQuery, Senders } from './senders.ts'

export interface SenderRouteParts {
  senders: Pick<Senders, 'list' | 'get'>
  callers: Callers
}

const path = '/api/senders'
const tags = ['senders']
const limitMax = 1_000
const searchLengthMax = 255
const view = { permission: 'multipleTransports:view' as const }
const params = Type.Object({
  domain: Type.String({
    description: 'The From domain. An internationalized domain is read in Unicode and in ASCII.',
    examples: ['brand.example'],
  }),
})
const querystring = Type.Object({
  transport: text(
    'Id of one more transport to check it with; 0: the default. Without it, a domain that nothing uses is checked with the published transports.',
  ),
})

/** Adds `/api/senders`. A domain is described with the checks of the last hour, or with new ones. */
export function addSenderRoutes(app: HttpApp, { senders, callers }: SenderRouteParts): void {
  const listing = {
    operationId: 'listSenders',
    summary: 'List the From domains, and whether receivers will believe them',
    description:
      'The domains of the messages of the last 30 days, of published emails, and of `testedEmailFrom`, each with the transports ' +
      'that it is sent through, what is not aligned first. The verdicts are those of the last checks; used domains are checked once a day.',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(
      Type.Object({
        search: text('A part of the domain, or an address.'),
        transport: text(
          'Id of a transport; 0: the default. Lists the domains that are sent through it, and of each only this transport.',
        ),
        brand: text('Of this brand (id).'),
        verdict: text(
          'Lists the domains whose worst transport has it: `notAligned`, `cannotTell`, `likely` or `aligned`.',
        ),
        start: text('How many to skip.'),
        limit: limitParameter(limitMax),
      }),
    ),
    response: { 200: senderList },
  }
  app.get(path, { schema: listing, config: view }, (request) =>
    senders.list(readSenderQuery(request.query), callers.of(request)),
  )
  const get = async (request: SenderRequest, isAgain: boolean) => {
    const read = createQueryReader(request.query as Query)
    const transport = read.number('transport')
    read.check()
    const { domain } = request.params
    return { sender: await senders.get({ domain, transport, isAgain }, callers.of(request)) }
  }
  const schema = { tags, params, querystring, response: { 200: senderAnswer } }
  const reading = {
    ...schema,
    operationId: 'getSender',
    summary: 'Get what is known of a From domain, for each transport',
    description:
      'A check of the last hour is answered as it is. Without one, DNS is asked now. That takes 15 s at most.',
  }
  app.get(`${path}/:domain`, { schema: reading, config: view }, (request) => get(request, false))
  const checking = {
    ...schema,
    operationId: 'checkSender',
    summary: 'Check a From domain again',
    description: 'Asks DNS again. It takes 15 s at most.',
  }
  app.post(`${path}/:domain/check`, { schema: checking, config: view }, (request) =>
    get(request, true),
  )
}

type SenderRequest = HttpRequest & { params: { domain: string } }

/** Reads the filter and the page. Throws an AppError (`invalid`). */
function readSenderQuery(query: Query): SenderQuery {
  const read = createQueryReader(query, { lengthMax: searchLengthMax })
  const page = {
    search: read.text('search'),
    transport: read.number('transport'),
    brand: read.number('brand'),
    verdict: read.word('verdict', verdicts),
    start: read.number('start') ?? 0,
    limit: read.limit(limitMax),
  }
  read.check()
  return page
}
