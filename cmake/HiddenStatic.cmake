# hidden_static(TARGET OUTPUT_NAME PARTS): a static library whose only global names are perp_*.
#
# PARTS is a static library with every symbol. Its members become one relocatable object, in which
# objcopy makes all other names local. The command depends on the archive, not on the object files:
# the Makefile generators have no rule for another target's objects, but they have one for a target,
# and the archive is newer than each of its members.
function(hidden_static target output parts)
  set(merged ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  add_custom_command(
    OUTPUT ${merged}
    COMMAND ${CMAKE_LINKER} -r -o ${merged} --whole-archive $<TARGET_FILE:${parts}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=perp_* ${merged}
    DEPENDS ${parts} COMMENT "Merging the objects of ${target}" VERBATIM)
  add_library(${target} STATIC ${merged})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C
                        EXPORT_NAME ${target})
endfunction()
