import { mauticNameWords as text } from '../words/mautic-names.ts'

/** An email or user. One of Mailyard itself is a link; one of a Mautic has the id that it has there. */
export function RecordName({
  path,
  mautic,
  id,
  name,
}: {
  /** The path of the list of such records of Mailyard. */
  path: string
  /** The id of the Mautic that has it; empty for Mailyard itself. */
  mautic: string
  id: number
  name: string
}) {
  if (mautic === '') return <a href={`${path}/${id}`}>{name}</a>
  return (
    <>
      {name}
      <p class="quiet small">{text.idInMautic(id)}</p>
    </>
  )
}
