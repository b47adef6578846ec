import { expect, test } from "vitest";
import { filePathProblem, MAX_PATH_BYTES } from "../../../schemas/hosting/file-path";

test.each([
  ["index.html", null],
  ["assets/app-4f2a9c1b.js", null],
  ["résumé/mise à jour.pdf", null],
  [".well-known/security.txt", null],
  ["a".repeat(MAX_PATH_BYTES), null],
  ["", "path_empty"],
  ["a".repeat(MAX_PATH_BYTES + 1), "path_too_long"],
  ["é".repeat(MAX_PATH_BYTES / 2 + 1), "path_too_long"],
  ["/etc/passwd", "path_absolute"],
  ["C:/windows", "path_absolute"],
  ["../secret", "path_dot_segment"],
  ["a/../../b", "path_dot_segment"],
  ["a/./b", "path_dot_segment"],
  ["a//b", "path_empty_segment"],
  ["folder/", "path_empty_segment"],
  ["a\\b", "path_invalid_character"],
  ["a\0b", "path_invalid_character"],
  ["a\nb", "path_invalid_character"],
  ["a\ud800b", "path_invalid_character"],
  ["a?b", "path_invalid_character"],
  ["a#b", "path_invalid_character"],
  ["a%2Fb", "path_encoded"],
  ["a%5cb", "path_encoded"],
  ["%2e%2e/b", "path_encoded"],
  ["a%00b", "path_encoded"],
  ["a%252fb", "path_encoded"],
])("the path %j: %s", (path, problem) => {
  expect(filePathProblem(path)).toBe(problem);
});
