import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { type Loaded, useData } from '../../lib/use-data.ts'
import { formatExactTime } from '../../words/format.ts'
import { suppressionWords as words } from '../../words/suppressions.ts'

const text = words.ofContact

/** A suppression, with the Mautics that it was reported to. */
export type Suppression = Schema<'SuppressionInList'>

/** Loads the suppressions of an address; none for a contact without one. */
export function useSuppressions(address: string): Loaded<readonly Suppression[]> {
  return useData(
    async (signal) => {
      if (address === '') return []
      const query = { address, limit: 10, with: 'reportedTo' }
      return (await ask('GET', '/api/suppressions', { query, signal })).body.suppressions
    },
    [address],
  )
}

/** Says that the address of a contact is suppressed, and why, with what takes that back; nothing where it is not. */
export function Suppressed({
  loaded: { data = [], reload },
}: {
  loaded: Loaded<readonly Suppression[]>
}) {
  const [asked, setAsked] = useState<Suppression>()
  const [first] = data
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
          {data.map((suppression) => (
            <li key={suppression.id} class="spread">
              <span>{sentenceOf(suppression)}</span>
              {can('contact:delete') && (
                <Button onClick={() => setAsked(suppression)}>{text.action}</Button>
              )}
            </li>
          ))}
        </ul>
      </div>
      {asked !== undefined && (
        <Confirm
          title={text.question(asked.address)}
          text={
            <>
              <p>{sentenceOf(asked)}</p>
              <p>{text.effect[asked.reason]}</p>
              {(asked.reportedTo ?? []).length > 0 && (
                <p>{text.reported(asked.reportedTo?.map(({ name }) => name) ?? [])}</p>
              )}
            </>
          }
          action={text.action}
          keep={text.keep}
          onConfirm={() => remove(asked.id)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Notice>
  )
}

/** Why, for whom and since when an address is suppressed. */
function sentenceOf({ reason, senderDomain, dateAdded }: Suppression): string {
  const scope = senderDomain ?? words.everySender
  return text.one(words.reasons[reason], scope, formatExactTime(dateAdded))
}
