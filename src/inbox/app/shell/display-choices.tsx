import { Choice } from '../../ui/choice.tsx';
import { languageNames, setLanguage, useLanguage, type Language } from '../../ui/texts.ts';
import { setTheme, useTheme, type Theme } from '../../ui/theme.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { saveLanguage } from '../data/save-locale.ts';
import { appTexts } from '../app-texts.ts';

/** Theme and language, kept in this browser. Emails follow the language. */
export function DisplayChoices() {
  const texts = appTexts.use();
  const { auth, platform } = useClients();
  const choose = (language: Language) => {
    void setLanguage(language);
    void saveLanguage(language, auth, platform.report);
  };
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
        onChange={choose}
      />
    </>
  );
}
