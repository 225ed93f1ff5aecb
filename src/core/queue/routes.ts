import Type, { type Static } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  idParameters,
  isAsked,
  nextPage,
  pageParameters,
  type Query,
  readDate,
  readId,
  text,
  validationError,
} from '../../platform/http/index.ts'
import {
  needPermissions,
  partOfAddress,
  textLengthMax,
  tooManyWildcards,
  warnings,
  warnOfWholeAddresses,
  wildcardFault,
} from '../deliveries/index.ts'
import { brakeItem, brakeResult, visibleBrake } from './brakes/brake-item.ts'
import { type QueueAction, queueActions } from './change-queued.ts'
import { isFiltered, type QueueFilter } from './list-queued.ts'
import type { QueueAdmin } from './queue-admin.ts'
import {
  laneSchema,
  queuedItem,
  queueOverview,
  visibleOverview,
  visibleQueued,
} from './queue-item.ts'
import { queuedDetails, visibleDetails } from './queued-details.ts'
import { lanes, shownStates, transportNames, transportWords } from './shown-state.ts'

const tags = ['queue']
const viewing = { permission: 'queue:view' as const }
const changing = { permission: ['queue:view', 'queue:edit'] as const }
const limitMax = 1_000

interface RouteParts {
  queue: QueueAdmin
  callers: Callers
}

/** Adds `/api/queue`. */
export function addQueueRoutes(app: HttpApp, parts: RouteParts): void {
  const { queue, callers } = parts
  const schema = {
    operationId: 'countQueue',
    summary: 'Count the queue, by transport and lane',
    description:
      'Each recipient of a queued message counts. Messages in the queue are stored, not sent. A million recipients are counted in some seconds, in pieces, so that nothing else waits.',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(Type.Object({ brand: text(ofBrandThen) })),
    response: { 200: queueOverview },
  }
  app.get('/api/queue', { schema, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const brand = readBrand(request.query)
    return visibleOverview(await queue.overview(caller, brand), caller)
  })
  addListRoute(app, parts)
  addGetRoute(app, parts)
  addBrakeRoutes(app, parts)
  for (const action of queueActions) {
    addActionRoute(app, action, parts)
    addBulkRoute(app, action, parts)
  }
}

const brakeSummaries = {
  try: {
    summary: 'Send ten of the bulk messages that a brake holds',
    description:
      'Sends the ten oldest, to see whether they are accepted now. The brake holds on; one that is deferred is held again.',
  },
  continue: {
    summary: 'Continue the bulk messages that a brake holds',
    description: 'Releases them. The brake counts from here, and may hold again.',
  },
  cancel: {
    summary: 'Cancel the bulk messages that a brake holds',
    description:
      'Cancels what is in the queue for this sender domain and transport in the lane `bulk`, also what a person holds; uncertain messages keep their delivery. Messages that no attempt has chosen a transport for are attempted first, so that the brake holds them. Then the brake ends: what is submitted later is sent.',
  },
} as const

function addBrakeRoutes(app: HttpApp, { queue, callers }: RouteParts): void {
  const list = {
    operationId: 'listBrakes',
    summary: 'List the groups of bulk messages that their brakes hold',
    description:
      'The bulk messages of one sender domain and transport are held when 20 % or more of at least 50 attempts are refused for good, when more than 5 % of what was accepted bounces, or more than 0.3 % is complained about; also those that come later. Transactional messages go on. Find out why in their deliveries; then continue or cancel.',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(Type.Object({ brand: text(ofBrandThen) })),
    response: { 200: Type.Object({ brakes: Type.Array(brakeItem) }) },
  }
  app.get('/api/queue/brakes', { schema: list, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const brakes = await queue.brakes.list(caller, readBrand(request.query))
    return { brakes: brakes.map((item) => visibleBrake(item, caller)) }
  })
  for (const action of ['try', 'continue', 'cancel'] as const) {
    const schema = {
      operationId: `${action}Brake`,
      ...brakeSummaries[action],
      tags,
      params: idParameters,
      response: { 200: brakeResult },
    }
    app.post(`/api/queue/brakes/:id/${action}`, { schema, config: changing }, async (request) => {
      return queue.brakes[action](readId(request.params.id), callers.of(request))
    })
  }
}

/** Reads the one parameter `brand`. */
function readBrand(query: Query): number | undefined {
  const read = createQueryReader(query)
  const brand = read.number('brand')
  read.check()
  return brand
}

const forTransport = 'For this transport, as the last attempt chose it.'
const forNoTransport =
  '`default`: for the configured transport; `none`: for those without an attempt; `unanswered`: for those that wait for an answer of their Mautic. For another one: `transportId`.'
const partOfSubject = 'With this in the subject, in any letter case.'
const ofMautic = 'Messages of this connected Mautic (id).'
const ofEmail = 'Messages of this email: of Mailyard itself, or of the Mautic in `mautic`.'
const ofBrandThen = 'Of this brand (id).'
const addedBeforeThen = 'Added before then, such as 2026-01-31T12:00:00Z.'

const listParameters = Type.Object({
  ...pageParameters(limitMax),
  state: text(`In these states, with commas: ${shownStates.join(', ')}.`),
  lane: text('In this lane: `transactional` or `bulk`.'),
  transportId: text(forTransport),
  transport: text(forNoTransport),
  recipient: text(`To ${partOfAddress}`),
  sender: text(`From ${partOfAddress}`),
  subject: text(partOfSubject),
  mautic: text(ofMautic),
  emailId: text(ofEmail),
  addedBefore: text(addedBeforeThen),
  brand: text(ofBrandThen),
})

function addListRoute(app: HttpApp, { queue, callers }: RouteParts): void {
  const schema = {
    operationId: 'listQueuedMessages',
    summary: 'List the recipients of queued messages, the newest first',
    description:
      'With filters a page may be short or even empty although there is more: continue as long as `next` is not null. No body is shown.',
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(listParameters),
    response: {
      200: Type.Object({ messages: Type.Array(queuedItem), next: nextPage, warnings }),
    },
  }
  app.get('/api/queue/messages', { schema, config: viewing }, async (request) => {
    const caller = callers.of(request)
    const { filter, ...page } = readQuery(request.query)
    checkFilter(filter, caller)
    const { messages, next } = await queue.list(filter, page, caller)
    const answer = { messages: messages.map((item) => visibleQueued(item, caller)), next }
    const isEmpty = messages.length === 0 && next === null && page.after === undefined
    const advice = isEmpty ? warnOfWholeAddresses(filter) : []
    return advice.length === 0 ? answer : { ...answer, warnings: advice }
  })
}

function addGetRoute(app: HttpApp, { queue, callers }: RouteParts): void {
  const schema = {
    operationId: 'getQueuedMessage',
    summary: 'Get a queued message, with its headers and its attempts',
    description:
      'One recipient, by its `id` in the list. The body is never shown. When it has left the queue, it is answered 404: the delivery log has it.',
    tags,
    params: idParameters,
    response: { 200: queuedDetails },
  }
  app.get('/api/queue/messages/:id', { schema, config: viewing }, async (request) => {
    const caller = callers.of(request)
    return visibleDetails(await queue.get(readId(request.params.id), caller), caller)
  })
}

function readQuery(query: Query) {
  const read = createQueryReader(query, { lengthMax: textLengthMax })
  const word = read.word('transport', transportWords)
  const brand = read.number('brand')
  const filter: QueueFilter = {
    states: read.words('state', shownStates),
    lane: read.word('lane', lanes),
    transportId: read.number('transportId') ?? (word && transportNames[word]),
    recipient: read.text('recipient'),
    sender: read.text('sender'),
    subject: read.text('subject'),
    mauticId: read.number('mautic'),
    emailId: read.number('emailId'),
    addedBefore: read.time('addedBefore'),
    brands: brand === undefined ? undefined : [brand],
  }
  const after = read.number('next')
  const limit = read.limit(limitMax)
  for (const name of tooManyWildcards(filter)) read.addFault(name, wildcardFault)
  read.check()
  return { filter, after, limit }
}

/** Throws an AppError (`forbidden`) for filters by fields that the caller may not see: the result would reveal them. */
function checkFilter({ transportId, recipient, subject }: QueueFilter, caller: Caller): void {
  const needed = [
    ...(transportId === undefined ? [] : ['multipleTransports:view']),
    ...(recipient === undefined && subject === undefined ? [] : ['contact:view']),
  ]
  needPermissions(needed, caller)
}

const summaries: Record<QueueAction, { one: string; many: string; effect: string }> = {
  retry: {
    one: 'Retry a queued message now',
    many: 'Retry queued messages now',
    effect:
      'Makes it due now. A held message is released first; an uncertain one is settled instead, at `/api/deliveries/{id}/settle`.',
  },
  hold: {
    one: 'Hold a queued message',
    many: 'Hold queued messages',
    effect:
      'It waits until it is released; its lifetime goes on. With a transport and no other filter, the messages that arrive for it later are held, too, if the transport is yours: one without a brand is that of callers with all brands.',
  },
  release: {
    one: 'Release a held message',
    many: 'Release held messages',
    effect:
      'It is due at once. An expired message gets one more attempt. With a transport and no other filter, its messages are not held any more.',
  },
  cancel: {
    one: 'Cancel a queued message',
    many: 'Cancel queued messages',
    effect:
      'Deletes it, with its body after the last recipient. The delivery log gets the outcome `cancelled`, and the sender is not notified. An uncertain message keeps its delivery, which can still be settled.',
  },
  sendUnanswered: {
    one: "Send a queued message without its Mautic's answer",
    many: "Send queued messages without their Mautic's answer",
    effect:
      'Of the messages that wait for an answer of their Mautic: it is due now, and sent with what is known: through the default transport where its email is not known. The trace says who has decided it. A template still waits for the data of its contact.',
  },
}

function addActionRoute(app: HttpApp, action: QueueAction, { queue, callers }: RouteParts): void {
  const schema = {
    operationId: `${action}QueuedMessage`,
    summary: summaries[action].one,
    description: `${summaries[action].effect} A message that is being sent is answered 409.`,
    tags,
    params: idParameters,
    errors: [409 as const],
    response: {
      200: Type.Object({ message: queuedItem }, { description: 'Cancelled: as it was before.' }),
    },
  }
  app.post(`/api/queue/messages/:id/${action}`, { schema, config: changing }, async (request) => {
    const caller = callers.of(request)
    const item = await queue.change(action, readId(request.params.id), caller)
    return { message: visibleQueued(item, caller) }
  })
}

const lengths = { minLength: 1, maxLength: textLengthMax }
const id = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))

const bulkInput = Type.Object(
  {
    all: Type.Optional(
      Type.Boolean({ description: 'Everything in the queue: needed if there is no filter.' }),
    ),
    state: Type.Optional(
      Type.Array(Type.Enum([...shownStates]), { minItems: 1, description: 'In these states.' }),
    ),
    lane: Type.Optional(laneSchema),
    transportId: id(forTransport),
    transport: Type.Optional(Type.Enum(transportWords, { description: forNoTransport })),
    recipient: text(`To ${partOfAddress}`, lengths),
    sender: text(`From ${partOfAddress}`, lengths),
    subject: text(partOfSubject, lengths),
    mautic: id(ofMautic),
    emailId: id(ofEmail),
    addedBefore: text(addedBeforeThen, { maxLength: 40 }),
    brand: id(ofBrandThen),
    next: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Continues a request: `next` of its answer.',
      }),
    ),
  },
  // A misspelled filter would change more than it should.
  {
    title: 'QueueFilter',
    additionalProperties: false,
    examples: [{ transportId: 2, state: ['deferred'] }, { all: true }],
  },
)

function addBulkRoute(app: HttpApp, action: QueueAction, { queue, callers }: RouteParts): void {
  const schema = {
    operationId: `${action}QueuedMessages`,
    summary: summaries[action].many,
    description: `${summaries[action].effect} The body chooses the messages: at least one filter, or \`all\`. With \`dryRun=1\`, the answer has the numbers and nothing is changed. After 15 seconds the answer has \`next\`: repeat the request with it.`,
    tags,
    querystring: Type.Unsafe<Record<string, unknown>>(
      Type.Object({ dryRun: text('`1`: counts what would be changed, and changes nothing.') }),
    ),
    body: bulkInput,
    response: {
      200: Type.Object({
        changed: Type.Integer({ description: 'How many recipients.', examples: [3] }),
        skipped: Type.Integer({
          description:
            'How many match, but are being sent, or are in a state in which it is not possible.',
          examples: [0],
        }),
        next: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'The value of `next` that continues; null if all are done.',
          examples: [null],
        }),
      }),
    },
  }
  app.post(`/api/queue/${action}`, { schema, config: changing }, async (request) => {
    const caller = callers.of(request)
    const { next: after, ...body } = request.body
    const filter = toFilter(body)
    checkFilter(filter, caller)
    const isDryRun = isAsked(request.query, 'dryRun')
    return queue.changeMany(action, filter, { caller, after, isDryRun })
  })
}

function toFilter({
  all,
  state,
  transport,
  mautic,
  addedBefore,
  brand,
  ...rest
}: Omit<Static<typeof bulkInput>, 'next'>) {
  const time = addedBefore === undefined ? undefined : readDate(addedBefore)
  const filter: QueueFilter = {
    ...rest,
    states: state,
    mauticId: mautic,
    transportId: rest.transportId ?? (transport && transportNames[transport]),
    addedBefore: time,
    brands: brand === undefined ? undefined : [brand],
  }
  if (transport !== undefined && rest.transportId !== undefined)
    throw validationError({ transport: ['must not be given beside transportId'] })
  if (addedBefore !== undefined && time === undefined)
    throw validationError({ addedBefore: ['must be a time, such as 2026-01-31T12:00:00Z'] })
  const [name] = tooManyWildcards(filter)
  if (name !== undefined) throw validationError({ [name]: [wildcardFault] })
  for (const name of ['recipient', 'sender', 'subject'] as const)
    if (filter[name]?.trim() === '') throw validationError({ [name]: ['must not be blank'] })
  if (!isFiltered(filter) && all !== true)
    throw validationError({ all: ['must be true, or give at least one filter'] })
  return filter
}
