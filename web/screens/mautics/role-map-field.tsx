import { Button } from '../../design/button.tsx'
import { mauticWords } from '../../words/mautics.ts'
import type { MappedRole } from './draft.ts'

const { labels, help, role: text } = mauticWords

/** The roles of Mautic that have a role here. */
export function RoleMapField({
  value,
  roles,
  fault,
  onValue,
}: {
  value: readonly MappedRole[]
  /** Those to choose from. */
  roles: readonly { value: string; label: string }[]
  fault: string | undefined
  onValue: (value: readonly MappedRole[]) => void
}) {
  const change = (index: number, changed: Partial<MappedRole>) =>
    onValue(value.map((each, place) => (place === index ? { ...each, ...changed } : each)))
  return (
    <fieldset class="field headers">
      <legend class="label">{labels.roleMap}</legend>
      {value.map(({ theirs, ours }, index) => (
        <div key={index} class="header-row">
          <input
            class="input"
            aria-label={text.theirs(index + 1)}
            value={theirs}
            onInput={(event) => change(index, { theirs: event.currentTarget.value })}
          />
          <select
            class="input"
            aria-label={text.ours(index + 1)}
            value={ours}
            onChange={(event) => change(index, { ours: event.currentTarget.value })}
          >
            <option value="">{text.choose}</option>
            {withChosen(roles, ours).map((role) => (
              <option key={role.value} value={role.value}>
                {role.label}
              </option>
            ))}
          </select>
          <Button
            kind="plain"
            aria-label={text.remove(index + 1)}
            onClick={() => onValue(value.filter((_, place) => place !== index))}
          >
            {text.removeShort}
          </Button>
        </div>
      ))}
      <span class="help">{help.roleMap}</span>
      {fault !== undefined && <span class="fault">{fault}</span>}
      <div class="row">
        <Button onClick={() => onValue([...value, { theirs: '', ours: '' }])}>{text.add}</Button>
      </div>
    </fieldset>
  )
}

/** Readers who may not view roles see the chosen one by its id. */
function withChosen(roles: readonly { value: string; label: string }[], chosen: string) {
  if (chosen === '' || roles.some(({ value }) => value === chosen)) return roles
  return [...roles, { value: chosen, label: text.id(Number(chosen)) }]
}
