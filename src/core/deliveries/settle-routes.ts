import Type from 'typebox'
import { done } from '../../kit/batch-item-result.ts'
import { type Callers, type HttpApp, idParameters, readId } from '../../platform/http/index.ts'
import { batchAnswer, batchAnswerMembers, sendBatch } from '../../platform/resource/index.ts'
import type { Deliveries } from './deliveries.ts'
import { deliveryItem, visibleDelivery } from './delivery-item.ts'
import { settledOutcomes } from './settle-delivery.ts'

const tags = ['deliveries']
const idsMax = 1_000
const config = { permission: 'email:send' as const }
const description =
  '`accepted`: it arrived. `deferred`: it did not, so the same message may be submitted again, and a recipient in the queue is sent to again.'
const outcome = Type.Enum([...settledOutcomes], { examples: ['accepted'] })

const settleSchema = {
  operationId: 'settleDelivery',
  summary: 'Settle an uncertain delivery',
  description,
  tags,
  params: idParameters,
  errors: [409 as const],
  body: Type.Object({ outcome }),
  response: { 200: Type.Object({ delivery: deliveryItem }) },
}

const settleManySchema = {
  operationId: 'settleDeliveries',
  summary: 'Settle many uncertain deliveries',
  description: `${description} At most ${idsMax.toLocaleString('en')} ids. A delivery that fails stops no other.`,
  tags,
  body: Type.Object({
    ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      minItems: 1,
      maxItems: idsMax,
      examples: [[1]],
    }),
    outcome,
  }),
  response: {
    200: Type.Object(batchAnswerMembers({ many: 'deliveries', item: deliveryItem }, 200)),
  },
}

/** Adds `POST /api/deliveries/{id}/settle` and `POST /api/deliveries/batch/settle`. */
export function addSettleRoutes(app: HttpApp, deliveries: Deliveries, callers: Callers): void {
  app.post('/api/deliveries/:id/settle', { schema: settleSchema, config }, async (request) => {
    const caller = callers.of(request)
    const { outcome: wanted } = request.body
    const settled = await deliveries.settle(readId(request.params.id), wanted, caller)
    return { delivery: visibleDelivery(settled, caller) }
  })
  app.post(
    '/api/deliveries/batch/settle',
    { schema: settleManySchema, config },
    async (request, reply) => {
      const { ids, outcome: wanted } = request.body
      const caller = callers.of(request)
      const results = await deliveries.settleMany(ids, wanted, caller)
      const items = results.map((result) =>
        result.ok ? done({ item: visibleDelivery(result.value, caller) }) : result,
      )
      return sendBatch(reply, batchAnswer({ many: 'deliveries' }, items))
    },
  )
}
