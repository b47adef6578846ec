import type { ComponentChildren, Ref, TargetedEvent } from "preact";
import { useId } from "react";
import { Icon } from "./icon.tsx";

/** Props that connect a control with its label, help and error. */
export type FieldControl = { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean };

type FieldTexts = {
  label: ComponentChildren;
  help?: ComponentChildren | undefined;
  /** replaces the help, has an icon, and is announced to screen readers */
  error?: ComponentChildren | undefined;
};

/** A label, its control, and the help or error below. */
export function Field({
  label,
  help,
  error,
  children,
}: FieldTexts & { children: (control: FieldControl) => ComponentChildren }) {
  const id = useId();
  const note = error ?? help;
  const control: FieldControl = {
    id,
    ...(note === undefined ? {} : { "aria-describedby": `${id}-note` }),
    ...(error === undefined ? {} : { "aria-invalid": true }),
  };
  return (
    <div class={error === undefined ? "field" : "field failed"}>
      <label for={id}>{label}</label>
      {children(control)}
      <div class="field-note" id={`${id}-note`} role={error === undefined ? undefined : "alert"}>
        {error === undefined ? help : <FieldError>{error}</FieldError>}
      </div>
    </div>
  );
}

function FieldError({ children }: { children: ComponentChildren }) {
  return (
    <>
      <Icon name="circle-alert" size={14} />
      <span>{children}</span>
    </>
  );
}

type Control<Element extends EventTarget> = {
  class?: string;
  value?: string;
  name?: string;
  disabled?: boolean;
  required?: boolean;
  ref?: Ref<Element>;
  onChange?: (event: TargetedEvent<Element>) => void;
  onInput?: (event: TargetedEvent<Element>) => void;
  onFocus?: (event: TargetedEvent<Element, FocusEvent>) => void;
  onBlur?: (event: TargetedEvent<Element, FocusEvent>) => void;
};

type TextInput = Control<HTMLInputElement> & {
  type?: "text" | "email" | "search" | "password";
  list?: string;
  autocomplete?: string;
  autocapitalize?: string;
  inputmode?: "text" | "email" | "numeric" | "search";
  enterkeyhint?: "go" | "done" | "next" | "search" | "send";
  maxLength?: number;
  placeholder?: string;
  spellcheck?: boolean;
  readonly?: boolean;
  autoFocus?: boolean;
  onKeyDown?: (event: TargetedEvent<HTMLInputElement, KeyboardEvent>) => void;
  onPaste?: (event: TargetedEvent<HTMLInputElement, ClipboardEvent>) => void;
};

/** The control of a field, with an arrow if the field offers choices. */
function Choice({ isOffered, children }: { isOffered: boolean; children: ComponentChildren }) {
  if (!isOffered) return <>{children}</>;
  return (
    <div class="choice">
      {children}
      <Icon name="chevron-down" size={14} />
    </div>
  );
}

/** A text field. */
export function TextField({ label, help, error, class: extra, ...rest }: FieldTexts & TextInput) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <Choice isOffered={rest.list !== undefined}>
          <input type="text" {...(rest as object)} {...control} class={["input", extra].filter(Boolean).join(" ")} />
        </Choice>
      )}
    </Field>
  );
}

/** A select field. */
export function SelectField({
  label,
  help,
  error,
  options,
  ...rest
}: FieldTexts & { options: { value: string; text: string }[] } & Control<HTMLSelectElement>) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <Choice isOffered>
          <select {...(rest as object)} {...control} class="input">
            {options.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Choice>
      )}
    </Field>
  );
}

/** A switch with its description. */
export function Switch({
  label,
  help,
  checked,
  onChange,
  disabled,
}: {
  label: ComponentChildren;
  help?: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="switch-row">
      <div>
        <label for={id}>{label}</label>
        {help === undefined ? null : (
          <p class="muted small" id={`${id}-note`}>
            {help}
          </p>
        )}
      </div>
      <input
        type="checkbox"
        role="switch"
        class="switch"
        id={id}
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        aria-describedby={help === undefined ? undefined : `${id}-note`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

/** Radio buttons in a row. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: { value: Value; text: ComponentChildren }[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            class="visually-hidden"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
