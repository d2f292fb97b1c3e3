import { Choice } from '../../ui/form/choice.tsx';
import { languageNames, setLanguage, useLanguage, type Language } from '../../ui/texts.ts';
import { setTheme, useTheme, type Theme } from '../../ui/theme.ts';
import { appTexts } from '../texts/app-texts.ts';

/** Theme and language, kept in this browser. */
export function DisplayChoices() {
  const texts = appTexts.use();
  return (
    <>
      <Choice<Theme>
        label={texts.theme}
        value={useTheme()}
        options={[
          ['system', texts.themes.system],
          ['light', texts.themes.light],
          ['dark', texts.themes.dark],
        ]}
        onChange={setTheme}
      />
      <Choice<Language>
        label={texts.language}
        value={useLanguage()}
        options={[
          ['en', languageNames.en],
          ['de', languageNames.de],
        ]}
        onChange={(language) => void setLanguage(language)}
      />
    </>
  );
}
