import { ConfirmButton } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { formatExactTime } from '../../words/format.ts'
import { suppressionWords as words } from '../../words/suppressions.ts'

const text = {
  title: 'This address is suppressed',
  one: (reason: string, scope: string, date: string) => `${reason} · ${scope} · since ${date}`,
  link: 'Show its suppressions',
  action: 'Unsuppress',
  keep: 'Keep it',
  question: (address: string) => `Send to ${address} again?`,
  effect: {
    unsubscribed:
      'The address gets bulk email again. Do this only if the recipient has asked for it.',
    bounced: 'The address gets every email again. If it still does not exist, it bounces again.',
    complained:
      'The address gets every email again. Do this only if the recipient has asked for it: a second complaint harms the sender.',
    manual: 'The address gets bulk email again.',
  },
  reported: (names: readonly string[]) =>
    `It was reported to ${names.join(', ')}. The report is taken back: the contact leaves “Do not contact” there, unless the entry was changed in Mautic.`,
  done: (address: string) => `${address} gets emails again.`,
} as const

/** A suppression, with the Mautics that it was reported to. */
export type Suppression = Schema<'SuppressionInList'>

/** Loads the suppressions of an address; none for a contact without one. */
export function useSuppressions(address: string) {
  const query = { address, limit: 10, with: 'reportedTo' }
  const { data, reload } = useAnswer(address === '' ? undefined : '/api/suppressions', { query })
  return { suppressions: data?.suppressions ?? [], reload }
}

/** Says that the address of a contact is suppressed, and why, with what takes that back; nothing where it is not. */
export function Suppressed({ suppressions, reload }: ReturnType<typeof useSuppressions>) {
  const [first] = suppressions
  if (first === undefined) return null
  const remove = async (id: number) => {
    await ask('DELETE', '/api/suppressions/{id}/delete', { path: { id } })
    showToast(text.done(first.address))
    reload()
  }
  return (
    <Notice tone="warn">
      <div class="stack">
        <div class="spread">
          <strong>{text.title}</strong>
          <a href={withQuery('/suppressions', { address: first.address })}>{text.link}</a>
        </div>
        <ul class="lines">
          {suppressions.map((suppression) => (
            <li key={suppression.id} class="spread">
              <span>{sentenceOf(suppression)}</span>
              {can('contact:delete') && (
                <ConfirmButton
                  title={text.question(suppression.address)}
                  text={effectOf(suppression)}
                  action={text.action}
                  keep={text.keep}
                  onConfirm={() => remove(suppression.id)}
                />
              )}
            </li>
          ))}
        </ul>
      </div>
    </Notice>
  )
}

/** What it means that an address is suppressed no longer. */
function effectOf(suppression: Suppression) {
  const { reason, reportedTo = [] } = suppression
  return (
    <>
      <p>{sentenceOf(suppression)}</p>
      <p>{text.effect[reason]}</p>
      {reportedTo.length > 0 && <p>{text.reported(reportedTo.map(({ name }) => name))}</p>}
    </>
  )
}

/** Why, for whom and since when an address is suppressed. */
function sentenceOf({ reason, senderDomain, dateAdded }: Suppression): string {
  const scope = senderDomain ?? words.everySender
  return text.one(words.reasons[reason], scope, formatExactTime(dateAdded))
}
