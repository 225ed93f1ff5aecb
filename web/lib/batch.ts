import { ApiFault } from './api.ts'

/** What the API answers to a batch. */
export interface BatchAnswer {
  statusCodes: readonly number[]
  /** Of the items that failed, by their places. */
  errors?: Readonly<Record<string, { message: string }>> | undefined
  /** What deletions changed besides. */
  messages?: Readonly<Record<string, string>> | undefined
}

/** The result for each item of a batch. */
export interface BatchSummary {
  /** The ids of the records that did not fail. */
  done: readonly number[]
  failures: readonly { id: number; status: number; message: string }[]
  /** What deletions changed besides, or what could not be restored. */
  messages: readonly { id: number; message: string }[]
}

/** Few enough that their ids fit in an address. */
const idsMax = 500

export function partsOf(ids: readonly number[]): (readonly number[])[] {
  const count = Math.ceil(ids.length / idsMax)
  return Array.from({ length: count }, (_, index) => ids.slice(index * idsMax).slice(0, idsMax))
}

/**
 * Changes many records: sends their ids in parts and sums up the answers. A record that fails stops no other. After a part
 * that was not answered, the later ones are not sent: they fail with status 0, and what is done is known.
 *
 * @throws ApiFault where the first part was not answered.
 */
export async function inBatches(
  ids: readonly number[],
  send: (part: readonly number[]) => Promise<BatchAnswer>,
): Promise<BatchSummary> {
  const done: number[] = []
  const failures: { id: number; status: number; message: string }[] = []
  const messages: { id: number; message: string }[] = []
  for (const [index, part] of partsOf(ids).entries()) {
    let answer: BatchAnswer
    try {
      answer = await send(part).catch(answerOfFault)
    } catch (error) {
      if (index === 0) throw error
      const { message } = error as Error
      failures.push(...ids.slice(index * idsMax).map((id) => ({ id, status: 0, message })))
      break
    }
    for (const [place, id] of part.entries()) {
      const error = answer.errors?.[place]
      if (error === undefined) done.push(id)
      else failures.push({ id, status: answer.statusCodes[place] ?? 0, message: error.message })
    }
    for (const [place, message] of Object.entries(answer.messages ?? {}))
      messages.push({ id: part[Number(place)] ?? 0, message })
  }
  return { done, failures, messages }
}

/** A batch of which no item succeeded is a fault, with the errors of the items. */
function answerOfFault(error: unknown): BatchAnswer {
  const answer = error instanceof ApiFault ? (error.answer as Partial<BatchAnswer>) : {}
  if (answer.errors === undefined || answer.statusCodes === undefined) throw error
  return { statusCodes: answer.statusCodes, errors: answer.errors }
}
