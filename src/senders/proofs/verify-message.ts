import type { FactCollector, ProofEvidence } from '../alignment/collect-facts.ts'
import type { ReceivedMessage, ReceivedSignature } from '../received-message.ts'
import type { Verdict, VerifiedMessage } from '../schema.ts'

type Evidence<Kind> = Extract<ProofEvidence, { kind: Kind }>
type PassEvidence = Omit<Evidence<'dkim'>, 'isOwn'> | Evidence<'spf'>

/** What a received message shows of its From domain. */
export interface ReceivedJudgement {
  verdict: Verdict
  sentence: string
  reasons: string[]
  /** What a pass rests on; undefined for a failure, and where nothing is certain. */
  evidence: PassEvidence | undefined
  /** When the signature was made that a pass rests on; null without one, and where it does not say. */
  signedAt: number | null
}

/**
 * Judges a received message. It is `aligned` if a signature that Mailyard verified itself, or SPF of the address that the receiving server
 * names, is aligned. It is `notAligned` if that server says so and no aligned signature may have been broken on the way.
 */
export async function judgeReceived(
  { signatures, results, receivedFrom }: ReceivedMessage,
  from: string,
  collector: FactCollector,
): Promise<ReceivedJudgement> {
  const judged = await Promise.all(
    signatures.map(async (signature) => ({
      signature,
      isAligned: await collector.isAligned(signature.domain, 'dkim'),
    })),
  )
  const reasons = judged.map(({ signature, isAligned }) => describe(signature, isAligned, from))
  const passed = judged.find(
    ({ signature, isAligned }) => isAligned === true && signature.result === 'pass',
  )
  const trusted = results?.isTrusted === true ? results : undefined
  if (trusted !== undefined) reasons.push(describeResults(trusted))
  if (passed !== undefined) {
    const { domain, selector, publicKey, signedAt } = passed.signature
    const sentence = `The message passed DMARC: its signature of ${domain} (selector "${selector}") is valid.`
    const evidence = { kind: 'dkim' as const, selector, domain, publicKey }
    return { verdict: 'aligned', sentence, reasons, evidence, signedAt }
  }
  const signedAt = null
  const bySpf = await findSpfPass({ trusted, receivedFrom }, collector)
  if (bySpf !== undefined) {
    const { domain, address } = bySpf
    const sentence = `The message passed DMARC: SPF of ${domain} passes for ${address}, from which it was received.`
    const evidence = { kind: 'spf' as const, ...bySpf }
    return { verdict: 'aligned', sentence, reasons, evidence, signedAt }
  }
  const broken = judged.find(({ isAligned }) => isAligned !== false)
  if (broken !== undefined) {
    const { domain } = broken.signature
    const sentence = `The signature of ${domain} cannot be verified in this copy. Paste the whole source, unchanged: ${broken.signature.detail}`
    return { verdict: 'cannotTell', sentence, reasons, evidence: undefined, signedAt }
  }
  if (trusted?.dmarc?.result === 'fail') {
    const server = trusted.server ?? 'The server that received it'
    const sentence = `The message failed DMARC at ${server}: it has no signature of ${from}, and SPF did not pass for it.`
    return { verdict: 'notAligned', sentence, reasons, evidence: undefined, signedAt }
  }
  const sentence = `The message has no signature of ${from}, and the server that received it does not say whether SPF passed.`
  return { verdict: 'cannotTell', sentence, reasons, evidence: undefined, signedAt }
}

/** SPF that the receiving server reports counts where it passes now, too. */
async function findSpfPass(
  {
    trusted,
    receivedFrom,
  }: { trusted: ReceivedMessage['results'] | undefined; receivedFrom: string | null },
  collector: FactCollector,
): Promise<{ domain: string; address: string } | undefined> {
  const spf = trusted?.spf
  if (spf?.result !== 'pass' || !spf.domain || receivedFrom === null) return undefined
  const { domain } = spf
  if ((await collector.isAligned(domain, 'spf')) !== true) return undefined
  const passes = await collector.passesSpf(domain, receivedFrom)
  return passes === true ? { domain, address: receivedFrom } : undefined
}

function describe(
  { domain, selector, result, detail }: ReceivedSignature,
  isAligned: boolean | undefined,
  from: string,
): string {
  const state = { pass: 'is valid', fail: 'is not valid', unknown: 'could not be verified' }[result]
  const alignment =
    isAligned === true
      ? `aligned with ${from}`
      : isAligned === false
        ? `not aligned with ${from}`
        : `perhaps aligned with ${from}: DNS did not answer`
  return `DKIM: the signature of ${domain} (selector "${selector}") ${state}, and ${alignment}. ${detail}`.trim()
}

function describeResults(results: NonNullable<ReceivedMessage['results']>): string {
  const { server, spf, dkim, dmarc } = results
  const parts = [
    spf === null ? [] : [`spf=${spf.result}`],
    dkim.map((each) => `dkim=${each.result}`),
    dmarc === null ? [] : [`dmarc=${dmarc.result}`],
  ].flat()
  return `${server ?? 'The server that received it'} says: ${parts.join(', ')}.`
}

/** What the answer shows of the verification by the receiving server. */
export function presentResults({ results }: ReceivedMessage): VerifiedMessage['results'] {
  if (results?.isTrusted !== true) return null
  const { server, spf, dkim, dmarc } = results
  return {
    server,
    spf: spf?.result ?? null,
    dkim: dkim.length === 0 ? null : dkim.map((each) => each.result).join(', '),
    dmarc: dmarc?.result ?? null,
  }
}
