import type { Transaction } from 'kysely'
import { formatDate } from '../../kit/iso-date.ts'
import type { Storage } from '../../storage/index.ts'
import type { TransportTables } from '../../transports/index.ts'
import type { KnownProof, ProofEvidence } from '../alignment/collect-facts.ts'
import type { SenderProof } from '../schema.ts'
import { isCurrent } from '../sender-checks.ts'
import { defaultTransportId, type SenderProofRow, type SenderTables } from '../table.ts'

/** A proof of a From domain and one server or API of a transport. */
export interface StoredProof extends KnownProof {
  transportId: number
  messageId: string
  addedAt: number
}

const keepDays = 90
const keepMs = keepDays * 86_400_000
const proofsMax = 20_000

/** The received messages that were verified. They are deleted after 90 days, and with the DSN of their transport. */
export class SenderProofs {
  readonly #storage: Storage
  /** See `SenderCheckRow.dsn_key`. */
  readonly #defaultKey: () => Promise<string | null>

  constructor(storage: Storage, defaultKey: () => Promise<string | null>) {
    this.#storage = storage
    this.#defaultKey = defaultKey
  }

  /** Finds the proofs of a domain, the newest first. */
  async find(domain: string, now: number): Promise<StoredProof[]> {
    const rows = await this.#storage
      .tables<SenderTables>()
      .selectFrom('sender_proofs')
      .selectAll()
      .where('domain', '=', domain)
      .where('added_at', '>', now - keepMs)
      .orderBy('added_at', 'desc')
      .execute()
    const defaultKey = await this.#defaultKey()
    return rows.filter((row) => isCurrent(row, defaultKey)).map(readProof)
  }

  /**
   * Stores a proof in place of the one before.
   *
   * @param revision That of the transport when the proof was found; undefined for the default.
   * @returns False where the transport was changed or deleted meanwhile.
   */
  async save(domain: string, proof: StoredProof, revision: number | undefined): Promise<boolean> {
    const { transportId, member, addedAt } = proof
    const defaultKey = await this.#defaultKey()
    return this.#storage.transaction(async (tx: Transaction<SenderTables & TransportTables>) => {
      const isDefault = transportId === defaultTransportId
      const row = await tx
        .selectFrom('transports')
        .select('revision')
        .where('id', '=', transportId)
        .executeTakeFirst()
      if (!isDefault && (row === undefined || row.revision !== revision)) return false
      await tx
        .deleteFrom('sender_proofs')
        .where('added_at', '<=', addedAt - keepMs)
        .execute()
      const { count } = await tx
        .selectFrom('sender_proofs')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      if (Number(count) >= proofsMax) return false
      const columns = {
        verdict: proof.verdict,
        sentence: proof.sentence,
        message_id: proof.messageId,
        evidence: JSON.stringify(proof.evidence),
        added_at: addedAt,
        dsn_key: isDefault ? defaultKey : null,
      }
      await tx
        .insertInto('sender_proofs')
        .values({ domain, transport_id: transportId, member, ...columns })
        .onConflict((conflict) =>
          conflict.columns(['domain', 'transport_id', 'member']).doUpdateSet(columns),
        )
        .execute()
      return true
    })
  }
}

/** When a proof ends. */
export function expiryOf(addedAt: number): string {
  return formatDate(addedAt + keepMs)
}

export function presentProof(proof: StoredProof): SenderProof {
  const { verdict, sentence, member, messageId, addedAt } = proof
  return {
    verdict,
    sentence,
    member,
    messageId,
    dateAdded: formatDate(addedAt),
    dateExpires: expiryOf(addedAt),
  }
}

function readProof(row: SenderProofRow): StoredProof {
  return {
    transportId: row.transport_id,
    member: row.member,
    verdict: row.verdict === 'aligned' ? 'aligned' : 'notAligned',
    sentence: row.sentence,
    messageId: row.message_id,
    evidence: JSON.parse(row.evidence) as ProofEvidence,
    addedAt: row.added_at,
  }
}
